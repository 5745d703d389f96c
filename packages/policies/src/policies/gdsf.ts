/**
 * GreedyDual-Size-Frequency (Cherkasova, HPL-98-69, 1998) with the size and cost of all blocks equal, as they are in a
 * paged cache: frequency plus an age that rises to the rank of each victim.
 */
import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "gdsf",
  describe: "GreedyDual-Size-Frequency: frequency, aged so that what was popular once does not stay for ever.",
  releases: "tail-first",
  create(blocks) {
    const uses = new Uint32Array(blocks.slotCount);
    const ranks = new Float64Array(blocks.slotCount);
    let age = 0;
    const use = (slot: number, count: number): void => {
      uses[slot] = count;
      ranks[slot] = age + count;
    };
    return createRankedPolicy(blocks, {
      onInsert: (slot) => use(slot, 1),
      onAccess: (slot) => use(slot, (uses[slot] ?? 0) + 1),
      onVictim(_slot, rank) {
        age = rank;
      },
      rank: (slot) => ranks[slot] ?? 0,
    });
  },
});
