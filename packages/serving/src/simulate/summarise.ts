/** What a simulation came to, as people ask for it. Money is exact; everything else is a float of the model's making. */
import { type Decimal, formatDecimal } from "@centspan/base";
import { type BeyondSupport, findBeyondSupport, type Support } from "../machine/check-support.ts";
import { costOfTime, costPerMillionTokens } from "../machine/token-cost.ts";
import type { WorkTotals } from "../serving-types.ts";
import type { SimulatedRequest, SimulationRun } from "./run-cluster.ts";

export type Distribution = { mean: number; p50: number; p90: number; p99: number; max: number };

export type SimulationResult = {
  requests: number;
  /** Prompt tokens found in a cache ÷ prompt tokens. */
  hitRate: number;
  ttftMs: Distribution | null;
  /** Of answers of more than one token. */
  tpotMs: Distribution | null;
  e2eMs: Distribution | null;
  /** Output tokens a second, from the first arrival to the last answer. */
  tokensPerS: number;
  promptTokens: number;
  outputTokens: number;
  durationS: number;
  steps: number;
  /** Share of the time in which a replica computed, mean over replicas. */
  utilisation: number;
  preemptions: number;
  recomputedTokens: number;
  /** Much of the work is done again because blocks run out: the cache is too small for the batch. */
  thrashing: boolean;
  draftAcceptance: number | null;
  /** Where the run left the range that its step times were fitted on: there the figures are guesses. */
  beyondSupport: BeyondSupport[];
  costUsd: string | null;
  costPerMillionTokensUsd: string | null;
};

export type Price = { hourUsd: Decimal; accelerators: number };

/** From here on, losing work is what a replica mostly does with a part of its time that anybody would notice. */
const THRASHING_SHARE = 0.1;

const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

export type SummaryOptions = { price?: Price | null; support?: Support | null };

export function summarise(
  { requests, endNs, replicas }: SimulationRun,
  { price = null, support = null }: SummaryOptions = {},
): SimulationResult {
  const sum = (countOf: (one: SimulatedRequest) => number): number =>
    requests.reduce((all, one) => all + countOf(one), 0);
  const total = (name: keyof WorkTotals): number => replicas.reduce((all, one) => all + one[name], 0);
  const promptTokens = sum((one) => one.promptTokens);
  const outputTokens = sum((one) => one.outputTokens);
  const startNs = requests.reduce((earliest, one) => Math.min(earliest, one.arrivalNs), endNs);
  const durationNs = endNs - startNs;
  const time = price && { ...price, durationNs };
  const costPerMillionUsd = time && costPerMillionTokens(time, outputTokens);
  const computedTokens = total("prefillTokens") + outputTokens;
  return {
    requests: requests.length,
    hitRate: promptTokens === 0 ? 0 : sum((one) => one.hitTokens) / promptTokens,
    ttftMs: distribute(requests.map((one) => (one.firstTokenNs - one.arrivalNs) / NS_PER_MS)),
    tpotMs: distribute(
      requests
        .filter((one) => one.outputTokens > 1)
        .map((one) => (one.finishedNs - one.firstTokenNs) / (one.outputTokens - 1) / NS_PER_MS),
    ),
    e2eMs: distribute(requests.map((one) => (one.finishedNs - one.arrivalNs) / NS_PER_MS)),
    tokensPerS: durationNs === 0 ? 0 : outputTokens / (durationNs / NS_PER_S),
    promptTokens,
    outputTokens,
    durationS: durationNs / NS_PER_S,
    steps: total("steps"),
    utilisation: durationNs === 0 ? 0 : total("busyNs") / (durationNs * replicas.length),
    preemptions: total("preemptions"),
    recomputedTokens: total("recomputedTokens"),
    thrashing: total("recomputedTokens") > THRASHING_SHARE * computedTokens,
    draftAcceptance: total("draftedTokens") === 0 ? null : total("acceptedTokens") / total("draftedTokens"),
    beyondSupport: support
      ? findBeyondSupport(support, {
          promptTokens: requests.map((one) => one.promptTokens),
          largestBatch: Math.max(0, ...replicas.map(({ largestBatch }) => largestBatch)),
        })
      : [],
    costUsd: time && formatDecimal(costOfTime(time).round(12, 2)),
    costPerMillionTokensUsd: costPerMillionUsd && formatDecimal(costPerMillionUsd),
  };
}

/** Null of nothing. Percentiles are the smallest value that so many percent do not exceed. */
export function distribute(values: number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  const mean = sorted.reduce((all, value) => all + value, 0) / sorted.length;
  return { mean, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
