/**
 * Which of two settings is better: those that can serve the traffic before those that can't, within the limits before beyond
 * them, then by cost. Costs are accelerator seconds per thousand output tokens; their price is one factor, applied at the end.
 */
import type { CostObjective, WaitLimit } from "@centspan/model";
import type { Distribution, Priority } from "@centspan/serving";
import { type Evaluation, isServable, sumBlocks, type Unservable } from "./evaluate.ts";

export type Limit = WaitLimit;
export type Objective = CostObjective;

export type Score = {
  /** Why these settings can't serve the traffic, or leave what was observed; null where they can. */
  refused: string | null;
  /** How far limits are passed, summed over them; 0 within all. */
  violation: number;
  paidGpuS: number;
  usedGpuS: number;
};

export type Breach = { limit: Limit; reachedMs: number };

const NS_PER_S = 1e9;
const PER_TOKENS = 1_000;

export function scoreOf(evaluation: Evaluation | Unservable, limits: readonly Limit[]): Score {
  if (!isServable(evaluation)) return refusedScore(evaluation.unservable);
  const { blocks, accelerators, spanNs, thrashing, beyondSupport } = evaluation;
  const { outputTokens, usedNs } = sumBlocks(blocks);
  if (outputTokens === 0) return refusedScore("the window holds no output");
  const tokens = outputTokens / PER_TOKENS;
  return {
    refused: thrashing ? "blocks run out: work is done again" : (beyondSupport[0]?.message ?? null),
    violation: findBreaches(evaluation, limits).reduce(
      (sum, { limit, reachedMs }) => sum + reachedMs / limit.ms - 1,
      0,
    ),
    paidGpuS: (accelerators * spanNs) / NS_PER_S / tokens,
    usedGpuS: usedNs / NS_PER_S / tokens,
  };
}

const refusedScore = (refused: string): Score => ({
  refused,
  violation: Number.POSITIVE_INFINITY,
  paidGpuS: Number.POSITIVE_INFINITY,
  usedGpuS: Number.POSITIVE_INFINITY,
});

/** Of classes without a request nothing is asked. */
export function findBreaches({ waits }: Evaluation, limits: readonly Limit[]): Breach[] {
  return limits.flatMap((limit) => {
    const reachedMs = readWait(waits[limit.priority], limit);
    return reachedMs !== null && reachedMs > limit.ms ? [{ limit, reachedMs }] : [];
  });
}

function readWait(waits: Evaluation["waits"][Priority], { metric, percentile }: Limit): number | null {
  const byMetric: Record<Limit["metric"], Distribution | null> = {
    ttft: waits.ttftMs,
    tpot: waits.tpotMs,
    e2e: waits.e2eMs,
  };
  return byMetric[metric]?.[percentile] ?? null;
}

/** Negative where `a` is better. Of equal cost by the objective, the one that computes less. */
export function compareScores(a: Score, b: Score, objective: Objective): number {
  if ((a.refused === null) !== (b.refused === null)) return a.refused === null ? -1 : 1;
  if (a.violation !== b.violation) return a.violation < b.violation ? -1 : 1;
  if (objective === "paid" && a.paidGpuS !== b.paidGpuS) return a.paidGpuS < b.paidGpuS ? -1 : 1;
  return a.usedGpuS === b.usedGpuS ? 0 : a.usedGpuS < b.usedGpuS ? -1 : 1;
}

export const costOf = ({ paidGpuS, usedGpuS }: Score, objective: Objective): number =>
  objective === "paid" ? paidGpuS : usedGpuS;
