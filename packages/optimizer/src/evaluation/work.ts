/**
 * What work costs, as accelerator time. An engine with little to do is as busy as a full one: it steps for whoever is there,
 * and a step's fixed part (weights read, kernels launched) is spent on few. So busy time is taken apart: what grows with the
 * work counts as it was simulated; of the fixed part each request bears what it would in an engine that is as full as its
 * settings and its memory allow. Where engines are full, this is the time that they compute.
 */
import type { ReplicaSpec, ServingRequest, SimulatedRequest, WorkTotals } from "@centspan/serving";
import type { SimulatedWindow } from "./simulate-window.ts";

/** Of one step without anything in it. */
const countFixedNs = ({ stepTime }: ReplicaSpec): number =>
  1e6 * stepTime({ decodeSequences: 0, decodeContextTokens: 0, prefillTokens: 0, prefillAttentionPairs: 0 });

/** How many sequences share a step where enough of them wait: as many as are let in, and fit with their contexts. */
function countFullBatch(
  { config }: ReplicaSpec,
  requests: readonly Pick<ServingRequest, "promptTokens" | "outputTokens">[],
): number {
  const blocks = requests.reduce(
    (sum, { promptTokens, outputTokens }) => sum + Math.ceil((promptTokens + outputTokens / 2) / config.blockTokens),
    0,
  );
  const meanBlocks = blocks / Math.max(1, requests.length);
  return Math.max(1, Math.min(config.maxSequences, config.capacityBlocks / Math.max(1, meanBlocks)));
}

/** What makes an engine full, and what a step costs that holds nothing. */
export type FullEngine = { fixedNs: number; fullBatch: number; tokenBudget: number; isApart: boolean };

export function describeFullEngine(
  replica: ReplicaSpec,
  requests: readonly Pick<ServingRequest, "promptTokens" | "outputTokens">[],
  most = Number.POSITIVE_INFINITY,
): FullEngine {
  const { tokenBudget, chunkedPrefill = true } = replica.config;
  return {
    fixedNs: countFixedNs(replica),
    fullBatch: Math.min(most, countFullBatch(replica, requests)),
    tokenBudget,
    isApart: !chunkedPrefill,
  };
}

/** What was computed: in the simulator, or by what an engine's spans say. */
export type Computed = { busyNs: number; steps: number; prefillTokens: number; sequenceSteps: number };

export function countWorkNs(computed: Computed, { fixedNs, fullBatch, tokenBudget, isApart }: FullEngine): number {
  const { busyNs, steps, prefillTokens, sequenceSteps } = computed;
  const ofDecoding = sequenceSteps / fullBatch;
  const fullSteps = isApart
    ? ofDecoding + prefillTokens / tokenBudget
    : Math.max(ofDecoding, (prefillTokens + sequenceSteps) / tokenBudget);
  return busyNs - fixedNs * steps + fixedNs * fullSteps;
}

type Part = Pick<WorkTotals, "busyNs" | "steps" | "prefillTokens" | "acceptedTokens">;
const NOTHING: Part = { busyNs: 0, steps: 0, prefillTokens: 0, acceptedTokens: 0 };
const PARTS = ["busyNs", "steps", "prefillTokens", "acceptedTokens"] as const;

const combine = (a: Part, b: Part, factor: 1 | -1): Part => ({
  busyNs: a.busyNs + factor * b.busyNs,
  steps: a.steps + factor * b.steps,
  prefillTokens: a.prefillTokens + factor * b.prefillTokens,
  acceptedTokens: a.acceptedTokens + factor * b.acceptedTokens,
});

/**
 * Accelerator nanoseconds of each block of requests, in the order in which they ended; `starts` are the first of each. `most`:
 * the largest batch whose step times are known, since nobody has seen how full engines do beyond it.
 */
export function measureWork(
  window: SimulatedWindow,
  starts: readonly number[],
  most = Number.POSITIVE_INFINITY,
): number[] {
  const { run, cluster, seen, acceleratorsEach } = window;
  const parts = cutParts(window, starts);
  const decoders = cluster.replicas.filter(({ role = "both" }) => role !== "prefill");
  const [first] = decoders;
  if (first === undefined) return starts.map(() => 0);
  const full = describeFullEngine(first, seen, most);
  const isApart = full.isApart || decoders.length < cluster.replicas.length;
  return parts.map(({ busyNs, steps, prefillTokens, acceptedTokens }, at) => {
    const requests = run.requests.slice(starts[at], starts[at + 1] ?? run.requests.length);
    // The first token of each comes with its prompt.
    const decoded = requests.reduce((sum, { outputTokens }) => sum + outputTokens - 1, 0);
    const sequenceSteps = Math.max(0, decoded - acceptedTokens);
    const computed = { busyNs, steps, prefillTokens, sequenceSteps };
    return acceleratorsEach * countWorkNs(computed, { ...full, isApart });
  });
}

/** What all replicas computed from the end of each block before to its own end. */
function cutParts({ run, arrivals }: SimulatedWindow, starts: readonly number[]): Part[] {
  const { requests, replicas } = run;
  const reached: Part[] = replicas.map(() => NOTHING);
  const sum = (parts: readonly Part[]): Part => parts.reduce((all, one) => combine(all, one, 1), NOTHING);
  const atStarts: Part[] = [];
  for (const [at, { endedOn, computed }] of requests.entries()) {
    if (at === starts[atStarts.length]) atStarts.push(sum(reached));
    if (computed) reached[endedOn] = computed;
  }
  const isApart = (at: number): boolean => reached[at] === NOTHING;
  const end = sum(replicas.filter((_, at) => !isApart(at)));
  const parts = atStarts.map((start, at) => combine(atStarts[at + 1] ?? end, start, -1));
  const apart = sum(replicas.filter((_, at) => isApart(at)));
  if (apart.busyNs === 0) return parts;
  // Replicas that end no request compute prompts for others: by prompt tokens.
  const promptsOf = (some: readonly SimulatedRequest[]): number => some.reduce((all, one) => all + one.promptTokens, 0);
  const all = Math.max(1, promptsOf(arrivals));
  return parts.map((part, at) => {
    const share = promptsOf(requests.slice(starts[at], starts[at + 1] ?? requests.length)) / all;
    return combine(part, scale(apart, share), 1);
  });
}

function scale(part: Part, factor: number): Part {
  const scaled = { ...NOTHING };
  for (const name of PARTS) scaled[name] = part[name] * factor;
  return scaled;
}
