/**
 * Least recently used over slots: a list of what may go, oldest use first. Whether fronts or tails of chains go first
 * follows from the order in which they are released.
 */
import type { KvBlocks, KvPolicy } from "@centspan/model";
import { createSlotLists } from "./slot-list.ts";

export function createRecencyPolicy({ slotCount }: KvBlocks): KvPolicy {
  const lists = createSlotLists(slotCount, 1);
  const idle = lists.add();
  return {
    onInsert: () => undefined,
    onAccess(slot) {
      if (!lists.has(slot)) return;
      idle.remove(slot);
      idle.append(slot);
    },
    onHold: (slot) => idle.remove(slot),
    onRelease: (slot) => idle.append(slot),
    onRemove(slot) {
      if (lists.has(slot)) idle.remove(slot);
    },
    takeVictim() {
      const slot = idle.first();
      idle.remove(slot);
      return slot;
    },
  };
}
