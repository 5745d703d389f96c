/**
 * Settings on a window of traffic: what they cost and how long people waited, in blocks of consecutive requests, so that two
 * runs over the same requests can be compared block by block. Everything here is simulated.
 */
import { CentspanError } from "@centspan/base";
import {
  type BeyondSupport,
  type Distribution,
  distribute,
  findBeyondSupport,
  type Priority,
  type SimulatedRequest,
  type SimulationRun,
  type Support,
} from "@centspan/serving";
import type { Settings } from "../settings/knobs.ts";
import type { Window } from "../traffic/traffic.ts";
import { type SimulatedWindow, simulateWindow } from "./simulate-window.ts";
import { measureWork } from "./work.ts";

/** Consecutive requests, in order of arrival. */
export type Block = {
  requests: number;
  /** Accelerator time that its work costs in full engines. */
  usedNs: number;
  /** From its first arrival to that of the next block; of the last to the end. */
  spanNs: number;
  promptTokens: number;
  outputTokens: number;
  hitTokens: number;
};

export type Waits = {
  requests: number;
  ttftMs: Distribution | null;
  tpotMs: Distribution | null;
  e2eMs: Distribution | null;
};

export type Evaluation = {
  blocks: Block[];
  waits: Record<Priority, Waits>;
  accelerators: number;
  /** From the first to the last arrival that counts; of sessions to the last answer, since answers bring arrivals. */
  spanNs: number;
  largestBatch: number;
  /** A large part of the work was done again because blocks ran out. */
  thrashing: boolean;
  beyondSupport: BeyondSupport[];
};

/** Settings that this traffic can't be served with, and why. */
export type Unservable = { unservable: string };

export type EvaluateOptions = {
  blocks: number;
  /** What was observed; null takes the range that the step times were fitted on, where they name one. */
  support?: Support | null;
  /** Says that leaving it is no finding: for step times that are stated, not fitted. */
  ignoreSupport?: boolean;
};

const THRASHING_SHARE = 0.1;
const NS_PER_MS = 1e6;

export function evaluate(settings: Settings, window: Window, options: EvaluateOptions): Evaluation | Unservable {
  try {
    return run(settings, window, options);
  } catch (error) {
    if (error instanceof CentspanError && error.code === "invalid_request") return { unservable: error.message };
    throw error;
  }
}

export const isServable = (evaluation: Evaluation | Unservable): evaluation is Evaluation => "blocks" in evaluation;

function run(settings: Settings, window: Window, options: EvaluateOptions): Evaluation {
  const simulated = simulateWindow(settings, window);
  const { run: finished, arrivals, price, isClosed, priorityOf } = simulated;
  const counted = arrivals.slice(window.uncounted);
  const [first, last] = [counted[0], counted.at(-1)];
  const endNs = isClosed ? finished.endNs : (last?.arrivalNs ?? 0);
  const largestBatch = Math.max(0, ...finished.replicas.map((replica) => replica.largestBatch));
  const support = options.ignoreSupport ? null : (options.support ?? simulated.support);
  const starts = startBlocks(arrivals.length, window.uncounted, options.blocks);
  return {
    blocks: cutBlocks(simulated, { starts, endNs, largestKnown: support?.sequences[1] }),
    waits: {
      interactive: measureWaits(counted.filter(({ id }) => priorityOf(id) === "interactive")),
      batch: measureWaits(counted.filter(({ id }) => priorityOf(id) === "batch")),
    },
    accelerators: price.accelerators,
    spanNs: endNs - (first?.arrivalNs ?? 0),
    largestBatch,
    thrashing: isThrashing(finished),
    beyondSupport:
      support === null
        ? []
        : findBeyondSupport(support, { promptTokens: counted.map((one) => one.promptTokens), largestBatch }),
  };
}

/** The ordinal of each block's first request. Blocks have about as many requests each. */
function startBlocks(requests: number, uncounted: number, blocks: number): number[] {
  const size = Math.max(1, Math.ceil((requests - uncounted) / blocks));
  return Array.from({ length: Math.ceil(Math.max(0, requests - uncounted) / size) }, (_, at) => uncounted + at * size);
}

type Cut = { starts: readonly number[]; endNs: number; largestKnown: number | undefined };

/**
 * Blocks are of requests in the order in which they ended: where a line builds up, time is computed long after an arrival,
 * but about when its request ends. Time by the clock, which capacity is paid for, goes by arrivals.
 */
function cutBlocks(window: SimulatedWindow, { starts, endNs, largestKnown }: Cut): Block[] {
  const { run: finished, arrivals } = window;
  const usedNs = measureWork(window, starts, largestKnown);
  return starts.map((start, at) => {
    const next = starts[at + 1] ?? arrivals.length;
    const requests = finished.requests.slice(start, next);
    const sum = (countOf: (one: SimulatedRequest) => number): number =>
      requests.reduce((total, one) => total + countOf(one), 0);
    return {
      requests: requests.length,
      usedNs: usedNs[at] ?? 0,
      spanNs: (arrivals[next]?.arrivalNs ?? endNs) - (arrivals[start]?.arrivalNs ?? 0),
      promptTokens: sum((one) => one.promptTokens),
      outputTokens: sum((one) => one.outputTokens),
      hitTokens: sum((one) => one.hitTokens),
    };
  });
}

function measureWaits(requests: readonly SimulatedRequest[]): Waits {
  const long = requests.filter(({ outputTokens }) => outputTokens > 1);
  return {
    requests: requests.length,
    ttftMs: distribute(requests.map((one) => (one.firstTokenNs - one.arrivalNs) / NS_PER_MS)),
    tpotMs: distribute(long.map((one) => (one.finishedNs - one.firstTokenNs) / (one.outputTokens - 1) / NS_PER_MS)),
    e2eMs: distribute(requests.map((one) => (one.finishedNs - one.arrivalNs) / NS_PER_MS)),
  };
}

function isThrashing({ requests, replicas }: SimulationRun): boolean {
  const output = requests.reduce((sum, one) => sum + one.outputTokens, 0);
  const of = (name: "prefillTokens" | "recomputedTokens"): number =>
    replicas.reduce((sum, replica) => sum + replica[name], 0);
  return of("recomputedTokens") > THRASHING_SHARE * (of("prefillTokens") + output);
}

export const sumBlocks = (blocks: readonly Block[]): Block =>
  blocks.reduce(
    (sum, block) => ({
      requests: sum.requests + block.requests,
      usedNs: sum.usedNs + block.usedNs,
      spanNs: sum.spanNs + block.spanNs,
      promptTokens: sum.promptTokens + block.promptTokens,
      outputTokens: sum.outputTokens + block.outputTokens,
      hitTokens: sum.hitTokens + block.hitTokens,
    }),
    { requests: 0, usedNs: 0, spanNs: 0, promptTokens: 0, outputTokens: 0, hitTokens: 0 },
  );
