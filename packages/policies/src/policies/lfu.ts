import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "lfu",
  describe: "Least frequently used since it came in, ties by least recent use; what has gone is forgotten.",
  releases: "tail-first",
  create(blocks) {
    const uses = new Uint32Array(blocks.slotCount);
    return createRankedPolicy(blocks, {
      onInsert(slot) {
        uses[slot] = 1;
      },
      onAccess(slot) {
        uses[slot] = (uses[slot] ?? 0) + 1;
      },
      rank: (slot) => uses[slot] ?? 0,
    });
  },
});
