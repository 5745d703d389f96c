/** Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024. */
import { defineKvPolicy, type KvBlocks, type KvPolicy } from "@centspan/model";
import { createSlotLists } from "../slot-list.ts";
import { createWhenReleased } from "../when-released.ts";

export default defineKvPolicy({
  id: "sieve",
  describe:
    "A hand moves from old to new blocks, spares each that was used since it last came by, takes the first other.",
  releases: "tail-first",
  create: (blocks) => createWhenReleased(blocks, createSieve),
});

function createSieve({ slotCount, evictable }: KvBlocks): KvPolicy {
  const queue = createSlotLists(slotCount, 1).add();
  const used = new Uint8Array(slotCount);
  let hand = -1;
  const drop = (slot: number): void => {
    if (hand === slot) hand = queue.after(slot);
    queue.remove(slot);
  };
  return {
    onInsert(slot) {
      used[slot] = 0;
      queue.append(slot);
    },
    onAccess(slot) {
      used[slot] = 1;
    },
    onHold: () => undefined,
    onRelease: () => undefined,
    onRemove: drop,
    takeVictim() {
      for (;;) {
        if (hand < 0) hand = queue.first();
        const slot = hand;
        if (evictable[slot] === 1) {
          if (used[slot] === 0) {
            drop(slot);
            return slot;
          }
          used[slot] = 0;
        }
        hand = queue.after(slot);
      }
    },
  };
}
