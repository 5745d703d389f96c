/**
 * A list of blocks, oldest first, some of which are held and keep their place: it knows the oldest that may go without
 * passing over all held ones each time.
 * Invariant: everything before `hint` is held; whoever releases a block of the queue says so.
 */
import type { SlotList, SlotLists } from "./slot-list.ts";

export type Queue = SlotList & {
  /** A block of this queue may go from now on. */
  release(slot: number): void;
  /** The oldest block that may go, −1 when all are held. */
  firstEvictable(): number;
};

const NONE = -1;

export function createQueue(
  lists: SlotLists,
  { slotCount, evictable }: { slotCount: number; evictable: Uint8Array },
): Queue {
  const list = lists.add();
  const orders = new Float64Array(slotCount);
  let order = 0;
  let hint = NONE;
  return {
    append(slot) {
      order += 1;
      orders[slot] = order;
      list.append(slot);
      if (hint === NONE) hint = slot;
    },
    remove(slot) {
      if (hint === slot) hint = list.after(slot);
      list.remove(slot);
    },
    release(slot) {
      if (hint === NONE || (orders[slot] ?? 0) < (orders[hint] ?? 0)) hint = slot;
    },
    firstEvictable() {
      while (hint !== NONE && evictable[hint] !== 1) hint = list.after(hint);
      return hint;
    },
    first: list.first,
    after: list.after,
    get size() {
      return list.size;
    },
  };
}
