import { defineKvPolicy } from "@centspan/model";
import { createSlotHeap } from "../slot-heap.ts";

export default defineKvPolicy({
  id: "fifo",
  describe: "First in, first out: the block that has been resident longest, used since or not.",
  evicts: "any",
  releases: "front-first",
  create({ slotCount }) {
    const heap = createSlotHeap(slotCount);
    const insertions = new Float64Array(slotCount);
    let count = 0;
    return {
      onInsert(slot) {
        count += 1;
        insertions[slot] = count;
      },
      onAccess: () => undefined,
      onHold: (slot) => void heap.remove(slot),
      onRelease: (slot) => heap.put(slot, insertions[slot] ?? 0, 0),
      onRemove: (slot) => void heap.remove(slot),
      takeVictim() {
        const slot = heap.first();
        heap.remove(slot);
        return slot;
      },
    };
  },
});
