/**
 * Many rounds of decoding at once, for batches in which nothing else happens: nobody finishes, no block fills up that has a
 * key, and there is room for the blocks that are needed. Only the virtual clock has use for it.
 * Invariant: step by step comes to the same in every number, durations rounded one by one included.
 */
import { assert } from "@centspan/base";
import type { WorkTotals } from "../serving-types.ts";
import { toNs } from "../step-time.ts";
import type { Batch } from "./plan-step.ts";

/** When it stopped. Steps that would end after `untilNs` are not begun. */
export function repeatDecodes(batch: Batch, totals: WorkTotals, nowNs: number, untilNs: number): number {
  const { clock, stepTime } = batch;
  const due = clock.nextDue();
  const load = {
    decodeSequences: clock.sequences(),
    decodeContextTokens: clock.contextTokens(),
    prefillTokens: 0,
    prefillAttentionPairs: 0,
  };
  const first = clock.rounds();
  let endNs = nowNs;
  while (clock.rounds() + 1 < due) {
    const nextNs = endNs + toNs(stepTime(load));
    if (nextNs > untilNs || !growAll(batch, endNs)) break;
    clock.pass();
    load.decodeContextTokens += load.decodeSequences;
    endNs = nextNs;
  }
  totals.steps += clock.rounds() - first;
  totals.busyNs += endNs - nowNs;
  return endNs;
}

/** Gives their next block to all that need one; false, with nothing done, when somebody would have to give way. */
function growAll({ clock, cache }: Batch, atNs: number): boolean {
  const growing = clock.growing();
  if (growing.length === 0) return true;
  const { free, idle } = cache.counts();
  if (growing.length > free + idle) return false;
  const next = clock.rounds() + 1;
  for (const sequence of growing) {
    if (sequence.growRound !== next || sequence.lease === null) continue;
    assert(cache.grow(sequence.lease, 1, atNs), "there was room");
    clock.grew(sequence);
  }
  return true;
}
