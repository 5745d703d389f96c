/**
 * A cluster on the virtual clock: time jumps from event to event. At one instant steps end first, then requests arrive,
 * then steps begin; of several replicas the first goes first.
 * Invariant: the same workload and cluster give the same events in the same order.
 */
import { assert } from "@centspan/base";
import { createDispatcher, type KvTransfer, type ReplicaRole } from "../cluster/dispatcher.ts";
import type { BatchListener } from "../core/batch-machine.ts";
import { checkRequest } from "../core/check-config.ts";
import type { RouterChoice } from "../find-router.ts";
import type { ServingOptions, ServingRequest, Step, WorkTotals } from "../serving-types.ts";
import { createArrivals } from "./arrivals.ts";
import { type AdvanceBounds, createVirtualReplica, type VirtualReplica } from "./virtual-replica.ts";
import type { Workload } from "./workload.ts";

export type ReplicaSpec = ServingOptions & { role?: ReplicaRole; speed?: number };

export type ClusterSpec = {
  replicas: readonly ReplicaSpec[];
  router?: RouterChoice;
  transfer?: KvTransfer;
  seed?: number;
};

export type SimulatedRequest = {
  id: string;
  arrivalNs: number;
  /** NaN until it is known. */
  firstTokenNs: number;
  finishedNs: number;
  promptTokens: number;
  outputTokens: number;
  /** Prompt tokens found in a cache when it was first admitted. */
  hitTokens: number;
  /** Of the replica that computed its prompt. */
  replica: number;
  /** The replica that made its last token, and what that had computed by then; null until it is known. */
  endedOn: number;
  computed: WorkTotals | null;
};

/** What happens, in order. Observed simulations take every step by itself and are slower for it. */
export type SimulationObserver = {
  onStep(replica: number, step: Step): void;
  onTokens(replica: number, id: string, firstIndex: number, count: number, atNs: number): void;
  onFinished(id: string, atNs: number): void;
};

export type SimulationRun = {
  /** In order of completion. */
  requests: SimulatedRequest[];
  endNs: number;
  replicas: WorkTotals[];
};

export type RunOptions = {
  observer?: SimulationObserver;
  onProgress?(finished: number): void;
  /** Asked of each request that finishes: whether that is all that was wanted to know. */
  isEnough?(request: SimulatedRequest): boolean;
};

export function runCluster(cluster: ClusterSpec, workload: Workload, options: RunOptions = {}): SimulationRun {
  const { longest } = workload;
  if (longest !== null) for (const { config } of cluster.replicas) checkRequest(config, longest);
  const state = createRun(cluster, workload, options);
  const { replicas, arrivals } = state;
  const isSeparate = cluster.replicas.some(({ role = "both" }) => role !== "both");
  // Between arrivals replicas that bring each other nothing may each go their own way, unless somebody wants the order.
  const isWatched = options.observer !== undefined || options.isEnough !== undefined;
  const isCoupled = workload.isClosed || isSeparate || isWatched;
  for (;;) {
    if (isCoupled) advanceCoupled(replicas, arrivals.nextNs, state.isEnough);
    else for (const replica of replicas) replica.advance(until(arrivals.nextNs()), false);
    if (state.isEnough()) break;
    const nowNs = arrivals.nextNs();
    if (nowNs === Number.POSITIVE_INFINITY) break;
    while (arrivals.nextNs() === nowNs) state.deliver(nowNs);
  }
  assert(state.open.size === 0 || state.isEnough(), "a request was never finished");
  // Sorting is stable: those that finish together stay in the order of their replicas.
  if (!isCoupled) state.finished.sort((a, b) => a.finishedNs - b.finishedNs);
  return { requests: state.finished, endNs: state.endNs(), replicas: replicas.map(({ machine }) => machine.totals) };
}

/**
 * Until nothing more happens before the next arrival, which answers may bring forward: event by event over all replicas,
 * the earliest first.
 */
function advanceCoupled(
  replicas: readonly VirtualReplica[],
  nextArrivalNs: () => number,
  isEnough: () => boolean,
): void {
  while (!isEnough()) {
    let chosen: VirtualReplica | undefined;
    let others = Number.POSITIVE_INFINITY;
    for (const replica of replicas) {
      const isEarlier =
        chosen === undefined ||
        replica.nextNs() < chosen.nextNs() ||
        (replica.nextNs() === chosen.nextNs() && replica.isBusy() && !chosen.isBusy());
      if (isEarlier) {
        others = Math.min(others, chosen?.nextNs() ?? Number.POSITIVE_INFINITY);
        chosen = replica;
      } else others = Math.min(others, replica.nextNs());
    }
    const arrivalNs = nextArrivalNs();
    if (chosen === undefined || chosen.nextNs() === Number.POSITIVE_INFINITY) return;
    if (chosen.isBusy() ? chosen.nextNs() > arrivalNs : chosen.nextNs() >= arrivalNs) return;
    chosen.advance(boundByOthers(chosen, others, arrivalNs), true);
  }
}

const until = (atNs: number): AdvanceBounds => ({ endsByNs: atNs, beginsBeforeNs: atNs });

/** Its next event in any case, and what comes before the others' next, which then see what it brought. */
function boundByOthers(chosen: VirtualReplica, others: number, arrivalNs: number): AdvanceBounds {
  const nextNs = chosen.nextNs();
  return {
    endsByNs: Math.min(arrivalNs, Math.max(nextNs, others - 1)),
    // Two that begin at the same instant can't bring each other anything before their steps end.
    beginsBeforeNs: Math.min(arrivalNs, chosen.isBusy() ? others : Math.max(nextNs + 1, others)),
  };
}

function createRun(cluster: ClusterSpec, workload: Workload, options: RunOptions) {
  const { observer, onProgress } = options;
  const arrivals = createArrivals(workload.first);
  const open = new Map<string, SimulatedRequest>();
  const finished: SimulatedRequest[] = [];
  let endNs = 0;
  let isEnough = false;
  const end = (id: string, replica: number, atNs: number): void => {
    const rest = dispatcher.follow(id, atNs);
    if (rest !== null) {
      arrivals.add(rest);
      return;
    }
    const request = open.get(id);
    assert(request, `request ${id} finished twice`);
    open.delete(id);
    request.finishedNs = atNs;
    request.endedOn = replica;
    const totals = replicas[replica]?.machine.totals;
    request.computed = totals ? { ...totals } : null;
    finished.push(request);
    endNs = Math.max(endNs, atNs);
    observer?.onFinished(id, atNs);
    onProgress?.(finished.length);
    if (options.isEnough?.(request)) isEnough = true;
    const { requests, ended } = workload.follow(id, atNs);
    for (const next of requests) arrivals.add({ request: next, replica: null });
    for (const thread of ended)
      for (const { machine } of replicas) machine.batch.cache.hint({ kind: "ended", ...thread, atNs });
  };
  const listenTo = (index: number): BatchListener => ({
    everyToken: observer !== undefined,
    onTokens({ request: { id } }, firstIndex, count, atNs) {
      const request = open.get(id);
      if (request && Number.isNaN(request.firstTokenNs)) request.firstTokenNs = atNs;
      // The first token of an answer that was handed over came from the replica before.
      const handedOver = request?.replica === index ? 0 : 1;
      observer?.onTokens(index, id, firstIndex + handedOver, count, atNs);
    },
    onAdmitted({ id, hitTokens, recomputed }) {
      const request = open.get(id);
      if (!recomputed && request?.replica === index) request.hitTokens = hitTokens;
    },
    onFinished: ({ request: { id } }, atNs) => end(id, index, atNs),
  });
  const members = cluster.replicas.map((spec, index) => {
    const onStep = observer ? (step: Step): void => observer.onStep(index, step) : null;
    const replica = createVirtualReplica(atSpeed(spec), listenTo(index), onStep);
    return { replica, role: spec.role ?? "both", view: replica.machine.view(spec.speed ?? 1) };
  });
  const replicas = members.map(({ replica }) => replica);
  const dispatcher = createDispatcher({
    replicas: members,
    router: cluster.router ?? { id: "least-load" },
    ...(cluster.transfer ? { transfer: cluster.transfer } : {}),
    blockTokens: cluster.replicas[0]?.config.blockTokens ?? 1,
    seed: cluster.seed ?? 0,
  });

  const deliver = (nowNs: number): void => {
    const arrival = arrivals.take();
    assert(arrival, "an arrival was due");
    const { request, replica } = arrival;
    const placed = replica === null ? dispatcher.place(request) : { replica, request };
    if (replica === null) open.set(request.id, openRequest(request, placed.replica));
    replicas[placed.replica]?.submit(placed.request, nowNs);
  };
  return { replicas, arrivals, open, finished, deliver, endNs: () => endNs, isEnough: () => isEnough };
}

/** A slower machine takes longer for the same step. */
function atSpeed({ speed = 1, ...options }: ReplicaSpec): ServingOptions {
  const { stepTime } = options;
  return speed === 1 ? options : { ...options, stepTime: (load) => stepTime(load) / speed };
}

const openRequest = (request: ServingRequest, replica: number): SimulatedRequest => ({
  id: request.id,
  arrivalNs: request.arrivalNs,
  firstTokenNs: Number.NaN,
  finishedNs: Number.NaN,
  promptTokens: request.promptTokens,
  outputTokens: request.outputTokens,
  hitTokens: 0,
  replica,
  endedOn: replica,
  computed: null,
});
