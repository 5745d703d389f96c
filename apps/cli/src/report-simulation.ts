/** A simulation's result as text for a terminal. Every figure is simulated and says so. */
import type { Provenance } from "@centspan/model";
import type { Distribution, HitRateCurve, LeftOutCalls, SimulationResult } from "@centspan/serving";
import { formatTable } from "./report.ts";

/** What a workload is made of, and how that came to be known. */
export type WorkloadFacts = {
  source: "mooncake" | "azure" | "weka" | "calls";
  /** Of arrivals and token counts. */
  tokens: Provenance | null;
  /** Of what requests share; null where that is not known at all. */
  blocks: Provenance | null;
  calls?: { used: number; leftOut: LeftOutCalls; cacheReadTokens: number; explainedTokens: number };
};

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const round = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: value < 100 ? 2 : 0 });

export function formatSimulation(result: SimulationResult, workload: WorkloadFacts): string {
  const times = (name: string, distribution: Distribution | null): string[] => {
    if (distribution === null) return [name, "–", "–", "–", "–", "–"];
    const { mean, p50, p90, p99, max } = distribution;
    return [name, ...[mean, p50, p90, p99, max].map(round)];
  };
  const facts = [
    ["requests", round(result.requests)],
    ["prompt tokens found in the cache", percent(result.hitRate)],
    ["output tokens a second", round(result.tokensPerS)],
    [
      "cost per million output tokens",
      result.costPerMillionTokensUsd === null ? "–" : `${result.costPerMillionTokensUsd} USD`,
    ],
    ["duration", `${round(result.durationS)} s, replicas busy ${percent(result.utilisation)}`],
    ["preemptions", `${round(result.preemptions)}, ${round(result.recomputedTokens)} tokens computed again`],
  ];
  if (result.draftAcceptance !== null) facts.push(["drafted tokens accepted", percent(result.draftAcceptance)]);
  const beyond = result.beyondSupport.map(({ message }) => `\n\n  Beyond what was measured: ${message}.`).join("");
  const warning = result.thrashing
    ? "\n\n  THRASHING: a large part of the work is done again because blocks run out; the cache is too small for the batch."
    : "";
  return [
    ...describeWorkload(workload),
    "Simulated, by a model of step times:",
    formatTable(facts, 2),
    "",
    formatTable([
      ["ms", "mean", "p50", "p90", "p99", "max"],
      times("to the first token", result.ttftMs),
      times("per token after it", result.tpotMs),
      times("whole answer", result.e2eMs),
    ]),
  ]
    .join("\n")
    .concat(beyond, warning);
}

/** Of a trace there is nothing to say that its file doesn't. */
function describeWorkload({ tokens, blocks, calls }: WorkloadFacts): string[] {
  if (calls === undefined) return [];
  const { used, leftOut, cacheReadTokens, explainedTokens } = calls;
  const { aggregates, withoutUsage, quarantined } = leftOut;
  const reads =
    cacheReadTokens === 0
      ? "no call read from a cache"
      : `${percent(explainedTokens / cacheReadTokens)} of the cache reads on record are of the session's call before`;
  return [
    `Workload: ${round(used)} recorded calls; arrivals and tokens are ${tokens}, shared blocks ${blocks}: ${reads}.`,
    ...(aggregates + withoutUsage + quarantined === 0
      ? []
      : [
          `Left out: ${round(aggregates)} that stand for several requests, ${round(withoutUsage)} without usage, ${round(quarantined)} quarantined.`,
        ]),
    "",
  ];
}

export function tabulateCurves(curves: readonly HitRateCurve[]): string {
  const [first] = curves;
  if (first === undefined) return "";
  const rows = first.points.map(({ capacityBlocks }, at) => [
    round(capacityBlocks),
    ...curves.map(({ points }) => (points[at]?.hitRate ?? 0).toFixed(4)),
  ]);
  return `\n\n${formatTable([["blocks", ...curves.map(({ policy }) => policy)], ...rows])}`;
}
