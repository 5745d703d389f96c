/** The oldest block of a list that may go, −1 when all are held. Held blocks keep their place. */
import type { SlotList } from "./slot-list.ts";

export function findFirstEvictable(list: SlotList, evictable: Uint8Array): number {
  let slot = list.first();
  while (slot >= 0 && evictable[slot] !== 1) slot = list.after(slot);
  return slot;
}
