/**
 * The engine's replicas: each a serving core with a loop of its own on the wall clock, behind the dispatcher that the
 * simulator uses too. Where prefill and decoding are separate, a request is first one part and then the other.
 * Invariant: whoever starts a generation hears of one end, and of each token once, whichever replica made it.
 */
import { assert, type CentspanError } from "@centspan/base";
import {
  createDispatcher,
  createServingCore,
  type KvTransfer,
  type ReplicaRole,
  type RouterChoice,
  type ServingCore,
  type ServingOptions,
  type ServingRequest,
  type ServingState,
} from "@centspan/serving";
import { type EngineLoop, startEngineLoop } from "./engine-loop.ts";
import type { EngineTime } from "./pace.ts";
import type { ReplicaSpans } from "./spans/replica-spans.ts";
import type { RequestSpans } from "./spans/request-spans.ts";

export type ReplicaOptions = {
  id: string;
  role: ReplicaRole;
  /** 1 is the modelled machine. */
  speed: number;
  spans: ReplicaSpans;
};

export type ClusterOptions = {
  replicas: readonly ReplicaOptions[];
  serving: ServingOptions;
  router: RouterChoice;
  transfer: KvTransfer;
  clock: EngineTime;
  timeScale: number;
};

export type ClusterGeneration = {
  request: Omit<ServingRequest, "arrivalNs">;
  /** Of one part of the request, on that replica. */
  startSpans(replica: string, arrivalNs: bigint, queueDepth: number): RequestSpans;
  /** Keys and values go from one replica to another. */
  onTransfer(from: string, to: string, startNs: bigint, endNs: bigint): void;
  onBegun(result: { cachedTokens: number }): void;
  onToken(index: number): void;
  onFinished(result: { cachedTokens: number }): void;
  onFailed(error: CentspanError): void;
};

/** What an agent's loop knows beyond its requests. */
export type AgentHint = {
  runId: string;
  threadId: string;
} /** The run with all its threads, or this thread alone. */ & (
  | { kind: "run_ended" | "ended" }
  | { kind: "long_wait"; expectedNs: number }
);

export type ServingChange = Parameters<ServingCore["configure"]>[0];

export type Cluster = {
  /** Throws what a core refuses; `cancel` gives place and blocks back. */
  start(generation: ClusterGeneration): { cancel(): void };
  hint(hint: AgentHint): void;
  /** All replicas or, where one refuses, none. */
  configure(change: ServingChange): void;
  setRouter(choice: RouterChoice): void;
  /** `finished` requests since the start. */
  states(): { id: string; finished: number; state: ServingState }[];
  isRunning(): boolean;
  /** Fails what is under way. */
  stop(): Promise<void>;
};

type Replica = ReplicaOptions & { core: ServingCore; loop: EngineLoop; finished: number };

export function startCluster(options: ClusterOptions): Cluster {
  const { clock, timeScale, serving, transfer } = options;
  const originNs = clock.nowNs();
  const toWallNs = (atNs: number): bigint => originNs + BigInt(Math.round(atNs));
  const replicas: Replica[] = options.replicas.map((replica) => {
    const core = createServingCore(atSpeed(serving, replica.speed));
    const loop = startEngineLoop({ core, clock, originNs, timeScale, replicaSpans: replica.spans });
    return { ...replica, core, loop, finished: 0 };
  });
  const dispatcher = createDispatcher({
    replicas: replicas.map(({ core, role, speed }) => ({ role, view: core.view(speed) })),
    router: options.router,
    transfer,
    blockTokens: serving.config.blockTokens,
    seed: 0,
  });
  const nowNs = (): number => Number(clock.nowNs() - originNs);
  let latestArrivalNs = -1;
  /** One after the other, and for every replica in time: so the order in which they are placed is that of their arrival. */
  const arrive = (): number => {
    latestArrivalNs = Math.max(latestArrivalNs + 1, ...replicas.map(({ loop }) => loop.openFromNs()));
    return latestArrivalNs;
  };
  const replicaAt = (index: number): Replica => {
    const replica = replicas[index];
    assert(replica, "the dispatcher places requests on replicas that are there");
    return replica;
  };

  return {
    start(generation) {
      const { id } = generation.request;
      let part: { cancel(): void };
      let cachedTokens: number | null = null;
      /** `sent` tokens were made by the part before. */
      const startPart = (index: number, request: ServingRequest, sent: number): void => {
        const replica = replicaAt(index);
        part = replica.loop.start({
          request,
          startSpans: (arrivalNs, queueDepth) => generation.startSpans(replica.id, arrivalNs, queueDepth),
          onBegun(result) {
            if (cachedTokens === null) generation.onBegun(result);
            cachedTokens ??= result.cachedTokens;
          },
          onToken: (token) => generation.onToken(sent + token),
          onFinished(result) {
            replica.finished += 1;
            const rest = dispatcher.follow(id, result.atNs);
            if (rest === null) {
              generation.onFinished({ cachedTokens: cachedTokens ?? result.cachedTokens });
              return;
            }
            const arrivalNs = result.atNs + Math.round((rest.request.arrivalNs - result.atNs) * timeScale);
            const to = replicaAt(rest.replica);
            generation.onTransfer(replica.id, to.id, toWallNs(result.atNs), toWallNs(arrivalNs));
            startPart(rest.replica, { ...rest.request, arrivalNs }, sent + request.outputTokens);
          },
          onFailed: generation.onFailed,
        });
      };
      const { replica, request } = dispatcher.place({ ...generation.request, arrivalNs: arrive() });
      startPart(replica, request, 0);
      return {
        cancel() {
          dispatcher.forget(id);
          part.cancel();
        },
      };
    },
    hint(hint) {
      for (const { core } of replicas) core.hint({ ...hint, atNs: nowNs() });
    },
    configure(change) {
      for (const { core } of replicas) core.configure(change);
    },
    setRouter: (choice) => dispatcher.setRouter(choice),
    states: () => replicas.map(({ id, finished, core }) => ({ id, finished, state: core.state() })),
    isRunning: () => replicas.every(({ loop }) => loop.isRunning()),
    async stop() {
      await Promise.all(replicas.map(({ loop }) => loop.stop()));
    },
  };
}

/** A slower machine takes longer for the same step. */
const atSpeed = (serving: ServingOptions, speed: number): ServingOptions =>
  speed === 1 ? serving : { ...serving, stepTime: (load) => serving.stepTime(load) / speed };
