/**
 * What came of advice that was followed: what a dollar of the work itself cost with the waste that the advice would end, before and
 * since, by the waste ledger. Tasks are what is compared, so that a quiet week is not taken for a saving; what they cost beside
 * that cause is on both sides. Its interval is by which tasks there were.
 */
import type { Recommendation } from "@centspan/model";
import { z } from "zod";
import { type Effect, estimateEffect } from "../verdict/bootstrap.ts";
import { type OptimizerRefusal, refuse } from "../verdict/refusals.ts";

const advisedSchema = z.looseObject({
  waste: z.object({ cause: z.string(), keys: z.array(z.string()).min(1).readonly() }),
});

/** The cause of waste that advice is about, and whose calls had it. */
export type Advised = z.infer<typeof advisedSchema>["waste"];

/** Null where a recommendation is no advice of the waste ledger. */
export const readAdvised = ({ evidence }: Pick<Recommendation, "evidence">): Advised | null =>
  advisedSchema.safeParse(evidence.verdict).data?.waste ?? null;

/** Spend of a task in USD, and what of it went to the cause. */
export type TaskWaste = { spentUsd: number; wastedUsd: number };

export const FEWEST_TASKS = 6;
const MOST_BLOCKS = 12;

export function verifyAdvice(
  before: readonly TaskWaste[],
  since: readonly TaskWaste[],
): { effect: Effect | null; refusals: OptimizerRefusal[] } {
  const fewest = Math.min(before.length, since.length);
  const few = `${before.length} tasks before it was followed and ${since.length} since; ${FEWEST_TASKS} are needed on each side`;
  if (fewest < FEWEST_TASKS) return { effect: null, refusals: [refuse("traffic_too_short", few)] };
  const blocks = Math.min(MOST_BLOCKS, fewest);
  const [earlier, later] = [deal(before, blocks), deal(since, blocks)];
  const effect = estimateEffect(
    earlier.map((block, at) => ({
      beforeCost: block.spentUsd,
      beforeTokens: block.spentUsd - block.wastedUsd,
      afterCost: later[at]?.spentUsd ?? 0,
      afterTokens: (later[at]?.spentUsd ?? 0) - (later[at]?.wastedUsd ?? 0),
    })),
    { level: 0.8, seed: 1 },
  );
  const nothing = "on one of the sides nothing was paid for beside this cause";
  return effect === null ? { effect, refusals: [refuse("traffic_too_short", nothing)] } : { effect, refusals: [] };
}

/** In turn, so that blocks are about as large. */
function deal(tasks: readonly TaskWaste[], blocks: number): TaskWaste[] {
  const dealt = Array.from({ length: blocks }, () => ({ spentUsd: 0, wastedUsd: 0 }));
  for (const [at, { spentUsd, wastedUsd }] of tasks.entries()) {
    const block = dealt[at % blocks];
    if (block === undefined) continue;
    block.spentUsd += spentUsd;
    block.wastedUsd += wastedUsd;
  }
  return dealt;
}
