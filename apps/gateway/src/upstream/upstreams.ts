/**
 * All upstreams, and which replica of which a request goes to: those that serve the model, in order of preference, and of
 * their replicas those that can take the request, by the upstream's router.
 * Must not: send anything.
 */
import { CentspanError, createRandom } from "@centspan/base";
import { matchesModel, type ReplicaView, type Router, type SafetyPolicy } from "@centspan/model";
import { createRouter } from "@centspan/serving";
import { hashPrefixBlocks, PREFIX_BLOCK_TOKENS } from "@centspan/tokens";
import type { InferenceProtocol } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/registry.ts";
import { TRANSLATIONS } from "../translations/registry.ts";
import type { Translation } from "../translations/translation.ts";
import { type AnswerKind, createReplica, type Replica } from "./replica.ts";
import { createUpstream } from "./upstream.ts";
import type { UpstreamsFile } from "./upstreams-file.ts";

export type RouteRequest = {
  protocol: InferenceProtocol;
  model: string;
  promptTokens: number;
  /** Of the prompt. */
  readIds(): ArrayLike<number>;
  /** Wishes of the request; null is none. */
  region: string | null;
  accelerator: string | null;
  tried: ReadonlySet<Replica>;
};

export type Route = {
  replica: Replica;
  /** Null where the upstream speaks the client's protocol. */
  translation: Translation | null;
  candidates: number;
  reason: string;
};

export type Upstreams = {
  retries: number;
  /** Throws `not_found` for a model that nobody serves, `invalid_request` where nothing that serves it can take it. */
  choose(request: RouteRequest): Route;
  /** Whether there is somebody to choose. */
  canServe(request: RouteRequest): boolean;
  /** How checks go with inference for the model; undefined where nobody who serves it says so. */
  safetyFor(model: string): SafetyPolicy | undefined;
  /** In order of preference. */
  groups: readonly Group[];
  /** Those of all groups, in the same order. */
  replicas: readonly [Replica, ...Replica[]];
  close(): Promise<void>;
};

export type Group = {
  name: string;
  serves(model: string): boolean;
  protocols: readonly string[];
  safety: SafetyPolicy | undefined;
  replicas: readonly [Replica, ...Replica[]];
  router: Router;
};

export type UpstreamsOptions = {
  file: UpstreamsFile;
  readKey(variable: string): string | undefined;
  nowMs?(): number;
};

export function createUpstreams({ file, readKey, nowMs = () => performance.now() }: UpstreamsOptions): Upstreams {
  const groups = file.upstreams.map((upstream) => createGroup(upstream, readKey, nowMs));
  const [first] = groups;
  if (first === undefined) throw new CentspanError("invalid_file", "upstreams: must name one", { field: "upstreams" });

  const [firstReplica, ...others] = first.replicas;
  const later = groups.slice(1).flatMap((group) => group.replicas);
  const replicas: [Replica, ...Replica[]] = [firstReplica, ...others, ...later];

  const find = (request: RouteRequest): Route | null => {
    const region = request.region ?? file.region ?? null;
    for (const group of groups.filter(({ serves }) => serves(request.model))) {
      const translation = findTranslation(group, request.protocol);
      if (translation === undefined) continue;
      const found = chooseReplica(group, { ...request, region }, nowMs());
      if (found !== null) return { translation, ...found };
    }
    return null;
  };

  return {
    retries: file.retries,
    choose(request) {
      const route = find(request);
      if (route === null) throw explain(request, groups);
      return route;
    },
    canServe: (request) =>
      groups.some(
        (group) =>
          group.serves(request.model) &&
          findTranslation(group, request.protocol) !== undefined &&
          group.replicas.some((replica) => canTake(replica, request)),
      ),
    safetyFor: (model) => groups.find(({ serves, safety }) => safety !== undefined && serves(model))?.safety,
    groups,
    replicas,
    async close() {
      await Promise.all(replicas.map(({ upstream }) => upstream.close()));
    },
  };
}

function createGroup(
  {
    name,
    provider,
    keyVariable,
    protocols,
    models,
    takesPriority,
    safety,
    replicas: addresses,
    router,
  }: UpstreamsFile["upstreams"][number],
  readKey: UpstreamsOptions["readKey"],
  nowMs: () => number,
): Group {
  const known = PROTOCOLS.map(({ id }) => id);
  const unknown = protocols?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    const message = `${name}: no protocol ${JSON.stringify(unknown)}; known: ${known.join(", ")}`;
    throw new CentspanError("invalid_file", message, { field: "upstreams.protocols" });
  }
  const key = keyVariable === undefined ? undefined : readKey(keyVariable);
  if (keyVariable !== undefined && key === undefined) {
    throw new CentspanError("invalid_file", `${name}: ${keyVariable} is not set`, { field: "upstreams.keyVariable" });
  }
  const replicas: Replica[] = [];
  const bestPace = (kind: AnswerKind): number | null => {
    const paces = replicas.flatMap((replica) => replica.pace(kind) ?? []);
    return paces.length === 0 ? null : Math.min(...paces);
  };
  for (const { url, region = null, accelerator = null, maxContextTokens = Number.POSITIVE_INFINITY } of addresses) {
    const upstream = createUpstream({ url, key, provider, takesPriority });
    replicas.push(createReplica({ upstream, traits: { region, accelerator, maxContextTokens }, nowMs, bestPace }));
  }
  const [first, ...others] = replicas;
  if (first === undefined) throw new CentspanError("invalid_file", `${name}: has no replica`, { field: "replicas" });
  return {
    name,
    serves: (model) => models.some((pattern) => matchesModel(pattern, model)),
    protocols: protocols ?? known,
    safety,
    replicas: [first, ...others],
    router: createRouter(
      router.settings === undefined ? { id: router.id } : { id: router.id, settings: router.settings },
      createRandom(1),
    ),
  };
}

/** Undefined where the request can't be said in any protocol of the upstream. */
function findTranslation({ protocols }: Group, { id }: InferenceProtocol): Translation | null | undefined {
  if (protocols.includes(id)) return null;
  return TRANSLATIONS.find(({ from, to }) => from === id && protocols.includes(to.id));
}

function chooseReplica(
  { replicas, router }: Group,
  request: RouteRequest,
  nowMs: number,
): Omit<Route, "translation"> | null {
  const able = replicas.filter((replica) => canTake(replica, request));
  const [only] = able;
  if (only === undefined) return null;
  const awake = able.filter((replica) => replica.restsUntilMs() <= nowMs);
  // When all rest, the one that rests least is better than nobody.
  if (awake.length === 0) {
    const replica = able.reduce((a, b) => (b.restsUntilMs() < a.restsUntilMs() ? b : a));
    return { replica, candidates: able.length, reason: "all rest" };
  }
  const near = awake.filter(({ traits }) => traits.region === request.region);
  const candidates = request.region !== null && near.length > 0 ? near : awake;
  const [single] = candidates;
  if (candidates.length === 1 && single !== undefined) {
    return { replica: single, candidates: 1, reason: able.length === 1 ? "only candidate" : "only one left" };
  }
  const routed = {
    promptTokens: request.promptTokens,
    blockKeys: hashPrefixBlocks(request.readIds()),
    blockTokens: PREFIX_BLOCK_TOKENS,
  };
  // A router knows replicas by their place: the whole list, with those out of question too busy to be chosen.
  const views = replicas.map((replica) => (candidates.includes(replica) ? replica.view : TOO_BUSY));
  for (let tries = 0; tries < replicas.length * 2; tries++) {
    const replica = replicas[router.choose(routed, views)];
    if (replica !== undefined && candidates.includes(replica)) {
      return { replica, candidates: candidates.length, reason: "router" };
    }
  }
  return { replica: candidates[0] ?? only, candidates: candidates.length, reason: "first in line" };
}

const TOO_BUSY: ReplicaView = {
  speed: Number.MIN_VALUE,
  waiting: () => Number.POSITIVE_INFINITY,
  running: () => Number.POSITIVE_INFINITY,
  queuedTokens: () => Number.POSITIVE_INFINITY,
  activeBlocks: () => Number.POSITIVE_INFINITY,
  countHits: () => 0,
};

const canTake = (replica: Replica, { promptTokens, accelerator, tried }: RouteRequest): boolean =>
  promptTokens <= replica.traits.maxContextTokens &&
  (accelerator === null || replica.traits.accelerator === accelerator) &&
  !tried.has(replica);

function explain(
  { model, protocol, promptTokens, accelerator }: RouteRequest,
  groups: readonly Group[],
): CentspanError {
  const serving = groups.filter(({ serves }) => serves(model));
  if (serving.length === 0) {
    return new CentspanError("not_found", `model: no upstream serves ${JSON.stringify(model)}`, { field: "model" });
  }
  if (serving.every((group) => findTranslation(group, protocol) === undefined)) {
    const message = `model: ${JSON.stringify(model)} is served, but not by ${protocol.describe}`;
    return new CentspanError("not_found", message, { field: "model" });
  }
  const traits = serving.flatMap(({ replicas }) => replicas.map((replica) => replica.traits));
  const most = Math.max(...traits.map(({ maxContextTokens }) => maxContextTokens));
  if (promptTokens > most) {
    const message = `input: ${promptTokens} tokens; the most that ${JSON.stringify(model)} takes is ${most}`;
    return new CentspanError("invalid_request", message, { field: "input" });
  }
  const message = `x-centspan-accelerator: nothing that serves ${JSON.stringify(model)} has ${accelerator}`;
  return new CentspanError("invalid_request", message, { field: "x-centspan-accelerator" });
}
