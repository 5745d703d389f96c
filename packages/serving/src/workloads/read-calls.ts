/**
 * Recorded calls of our own warehouse as sessions of requests. Arrivals, durations and token counts are what was recorded.
 * Nobody records hashes, so block keys are an estimate: the leading blocks that a call says it read from a cache are those
 * of the call before it in its session and with its model, never more than that one had; all other blocks are new. What
 * sessions share with each other (system prompts, tools), and what an answer leaves for the prompt after it, is left out.
 */
import { CentspanError } from "@centspan/base";
import { type Buckets, type Call, EMPTY_BUCKETS, PROVENANCES, type Provenance } from "@centspan/model";
import { expandRuns, type HashRun, type WekaRequest } from "./read-weka.ts";
import type { TraceRequest } from "./trace-request.ts";

/** What has to be known of a call; a `durationNs` of 0 and a `sessionId` of "" are not known. */
export type RecordedCall = Pick<
  Call,
  "callId" | "atNs" | "durationNs" | "sessionId" | "model" | "requests" | "buckets" | "quarantineReason" | "provenance"
>;

/** How many calls no request could be made of, and why. */
export type LeftOutCalls = {
  /** Records that stand for several requests. */
  aggregates: number;
  /** No prompt was counted. */
  withoutUsage: number;
  /** Their usage contradicts itself. */
  quarantined: number;
};

export type RecordedCalls = {
  /**
   * As a WEKA trace has them: session by session in order of their first calls, hashes local to the session. The model of
   * a session's first call is its main line, and each other one a sub-agent. Starts are since the first call of all.
   */
  requests: WekaRequest[];
  leftOut: LeftOutCalls;
  /** The weakest of the calls that are in `requests`; null when there are none. */
  provenance: Provenance | null;
  /** Prompt tokens that the calls say were read from a cache. */
  cacheReadTokens: number;
  /** Of those, in whole blocks that the session's call before had. */
  explainedTokens: number;
};

type UsedCall = Pick<RecordedCall, "callId" | "atNs" | "durationNs" | "sessionId" | "model"> & {
  promptTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
};

/** Keys of all requests are in memory while they are simulated. */
const MOST_BLOCKS = 40_000_000;

/**
 * In any order; the same calls give the same requests. Keeps a few numbers of each call.
 * Throws `invalid_request` with the call's id and the field where a value can't be.
 */
export async function readCalls(
  calls: AsyncIterable<RecordedCall> | Iterable<RecordedCall>,
  { blockTokens }: { blockTokens: number },
): Promise<RecordedCalls> {
  const used: UsedCall[] = [];
  const leftOut: LeftOutCalls = { aggregates: 0, withoutUsage: 0, quarantined: 0 };
  let weakest = -1;
  for await (const call of calls) {
    const one = checkCall(call);
    if (call.requests > 1) leftOut.aggregates += 1;
    else if (call.quarantineReason !== "") leftOut.quarantined += 1;
    else if (one.promptTokens === 0) leftOut.withoutUsage += 1;
    else {
      used.push(one);
      weakest = Math.max(weakest, PROVENANCES.indexOf(call.provenance));
    }
  }
  const sessions = groupBySession(used);
  const firstNs = sessions[0]?.[0]?.atNs ?? 0n;
  const chains = createChains(blockTokens);
  const requests = sessions.flatMap((session) => toRequests(session, { firstNs, chain: chains.startSession() }));
  const cacheReadTokens = used.reduce((sum, call) => sum + call.cacheReadTokens, 0);
  const provenance = PROVENANCES[weakest] ?? null;
  return { requests, leftOut, provenance, cacheReadTokens, explainedTokens: chains.countFound() * blockTokens };
}

/** The same requests in order of arrival, with keys that no two sessions share. Takes whole sessions, one after the other. */
export function toTraceRequests(requests: readonly WekaRequest[]): TraceRequest[] {
  let session: string | null = null;
  let firstKey = 0;
  let nextKey = 0;
  const trace = requests.map((request): TraceRequest => {
    if (request.session !== session) firstKey = nextKey;
    session = request.session;
    for (const { first, blocks } of request.hashRuns) nextKey = Math.max(nextKey, firstKey + first + blocks);
    const { startNs, promptTokens, outputTokens, hashRuns } = request;
    const blockKeys = expandRuns(hashRuns).map((hash) => firstKey + hash);
    return { arrivalNs: startNs, promptTokens, outputTokens, blockKeys };
  });
  return trace.sort((a, b) => a.arrivalNs - b.arrivalNs);
}

const refuseCall = (callId: string, field: string, problem: string): CentspanError =>
  new CentspanError("invalid_request", `call ${callId}: ${field} ${problem}`, { field });

function checkCall({ buckets, requests, ...call }: RecordedCall): UsedCall {
  const { callId, atNs, durationNs, sessionId, model } = call;
  const checkCount = (field: string, value: number, least: number): void => {
    if (Number.isSafeInteger(value) && value >= least) return;
    throw refuseCall(callId, field, `must be a whole number of at least ${least}, not ${value}`);
  };
  checkCount("requests", requests, 1);
  for (const name of Object.keys(EMPTY_BUCKETS)) {
    if (isBucket(name)) checkCount(`buckets.${name}`, buckets[name], 0);
  }
  if (atNs < 0n) throw refuseCall(callId, "at", "is before 1970");
  if (durationNs < 0n) throw refuseCall(callId, "durationNs", `must be 0 or more, not ${durationNs}`);
  const promptTokens = buckets.input + buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h;
  const outputTokens = buckets.outputText + buckets.outputReasoning;
  checkCount("buckets", promptTokens + outputTokens, 0);
  return { callId, atNs, durationNs, sessionId, model, promptTokens, outputTokens, cacheReadTokens: buckets.cacheRead };
}

const isBucket = (name: string): name is keyof Buckets => name in EMPTY_BUCKETS;

/** A call of no known session is one of its own. */
const nameSession = ({ sessionId, callId }: UsedCall): string =>
  sessionId === "" ? `call:${callId}` : `session:${sessionId}`;

function groupBySession(calls: readonly UsedCall[]): UsedCall[][] {
  const sorted = [...calls].sort((a, b) => compare(a.atNs, b.atNs) || compare(a.callId, b.callId));
  const sessions = new Map<string, UsedCall[]>();
  for (const call of sorted) {
    const name = nameSession(call);
    const session = sessions.get(name);
    if (session === undefined) sessions.set(name, [call]);
    else session.push(call);
  }
  return [...sessions.values()];
}

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function toRequests(
  session: readonly UsedCall[],
  { firstNs, chain }: { firstNs: bigint; chain: Chain },
): WekaRequest[] {
  return session.map((call): WekaRequest => {
    const { callId, model, promptTokens, outputTokens } = call;
    const startNs = Number(call.atNs - firstNs);
    const serviceNs = Number(call.durationNs);
    if (!Number.isSafeInteger(startNs)) throw refuseCall(callId, "at", "is more than 104 days after the first call");
    if (!Number.isSafeInteger(serviceNs)) throw refuseCall(callId, "durationNs", "is more than 104 days");
    return {
      session: nameSession(call),
      agent: model === session[0]?.model ? "" : `model:${model}`,
      startNs,
      promptTokens,
      outputTokens,
      serviceNs: serviceNs === 0 ? null : serviceNs,
      thinkNs: null,
      stopReason: "",
      hashRuns: chain(call),
    };
  });
}

/** The blocks of a session's next call. */
type Chain = (call: UsedCall) => HashRun[];

function createChains(blockTokens: number): { startSession(): Chain; countFound(): number } {
  let found = 0;
  let blocks = 0;
  const startSession = (): Chain => {
    /** Of the call before, by model: a cache holds what one model computed. */
    const lastRuns = new Map<string, readonly HashRun[]>();
    let nextHash = 0;
    return ({ model, promptTokens, cacheReadTokens }) => {
      const full = Math.floor(promptTokens / blockTokens);
      blocks += full;
      if (blocks > MOST_BLOCKS) throw refuseSize(blockTokens);
      const runs = takeBlocks(lastRuns.get(model) ?? [], Math.floor(cacheReadTokens / blockTokens));
      const shared = runs.reduce((sum, run) => sum + run.blocks, 0);
      found += shared;
      const last = runs.at(-1);
      if (last !== undefined && last.first + last.blocks === nextHash) last.blocks += full - shared;
      else if (full > shared) runs.push({ first: nextHash, blocks: full - shared });
      nextHash += full - shared;
      lastRuns.set(model, runs);
      return runs;
    };
  };
  return { startSession, countFound: () => found };
}

/** The first so many blocks, or all there are. */
function takeBlocks(runs: readonly HashRun[], most: number): HashRun[] {
  const taken: HashRun[] = [];
  let left = most;
  for (const { first, blocks } of runs) {
    if (left === 0) break;
    taken.push({ first, blocks: Math.min(blocks, left) });
    left -= Math.min(blocks, left);
  }
  return taken;
}

function refuseSize(blockTokens: number): CentspanError {
  const size = `these calls fill more than ${MOST_BLOCKS} blocks of ${blockTokens} tokens`;
  const message = `from: ${size}; take a shorter period or one key, or larger blocks (engine.blockTokens)`;
  return new CentspanError("invalid_request", message, { field: "from" });
}
