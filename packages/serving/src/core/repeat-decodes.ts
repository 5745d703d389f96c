/**
 * Many decode steps at once, for batches in which nothing can change between them: nobody finishes, no block fills up
 * that has a key, and what blocks are needed are free. Only the virtual clock has use for it.
 * Invariant: step by step comes to the same in every number, durations rounded one by one included.
 */
import { assert } from "@centspan/base";
import type { WorkTotals } from "../serving-types.ts";
import { toNs } from "../step-time.ts";
import type { Batch } from "./plan-step.ts";

/** When it stopped. Steps that would end after `untilNs` are not begun. */
export function repeatDecodes(batch: Batch, totals: WorkTotals, nowNs: number, untilNs: number): number {
  const most = countRepeatable(batch);
  if (most <= 0) return nowNs;
  const { running, stepTime } = batch;
  const sequences = running.length;
  let contextTokens = 0;
  for (const sequence of running) contextTokens += sequence.promptTokens + sequence.generatedTokens;
  const load = {
    decodeSequences: sequences,
    decodeContextTokens: contextTokens,
    prefillTokens: 0,
    prefillAttentionPairs: 0,
  };
  let steps = 0;
  let endNs = nowNs;
  while (steps < most) {
    const nextNs = endNs + toNs(stepTime(load));
    if (nextNs > untilNs) break;
    endNs = nextNs;
    steps += 1;
    load.decodeContextTokens += sequences;
  }
  if (steps > 0) advanceAll(batch, steps, nowNs);
  totals.steps += steps;
  totals.busyNs += endNs - nowNs;
  return endNs;
}

/** Steps until a sequence finishes, fills a block that has a key, or a block is needed that is not free. */
function countRepeatable({ running, cache, config }: Batch): number {
  let most = Number.POSITIVE_INFINITY;
  let untilGrowth = Number.POSITIVE_INFINITY;
  for (const sequence of running) {
    const { computedTokens } = sequence;
    most = Math.min(
      most,
      sequence.outputTokens - sequence.generatedTokens - 1,
      sequence.publishAtTokens - computedTokens - 1,
    );
    untilGrowth = Math.min(untilGrowth, sequence.heldTokens - computedTokens);
  }
  if (most <= untilGrowth) return most;
  let blocks = 0;
  for (const { computedTokens, heldTokens } of running)
    blocks += Math.max(0, Math.ceil((computedTokens + most - heldTokens) / config.blockTokens));
  return blocks <= cache.counts().free ? most : untilGrowth;
}

function advanceAll({ running, cache, config }: Batch, steps: number, atNs: number): void {
  for (const sequence of running) {
    sequence.computedTokens += steps;
    sequence.generatedTokens += steps;
    const lackingTokens = sequence.computedTokens - sequence.heldTokens;
    if (lackingTokens <= 0) continue;
    const blocks = Math.ceil(lackingTokens / config.blockTokens);
    const evicted = sequence.lease === null ? null : cache.grow(sequence.lease, blocks, atNs);
    assert(evicted?.length === 0, "there were free blocks");
    sequence.heldTokens += blocks * config.blockTokens;
  }
}
