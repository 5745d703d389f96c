/**
 * A policy from a rank: the evictable block with the least rank goes, ties by least recent use. The rank is a number
 * computed when a block is used or released; what a policy counts about blocks it keeps itself.
 */
import type { KvBlocks, KvPolicy } from "@centspan/model";
import { createSlotHeap } from "./slot-heap.ts";
import { createWhenReleased } from "./when-released.ts";

export type Ranking = {
  onInsert?(slot: number, atNs: number): void;
  onAccess?(slot: number, atNs: number): void;
  onVictim?(slot: number, rank: number): void;
  rank(slot: number): number;
  /** Ties go to the block that came in first instead of the one unused longest. */
  tiesByInsertion?: boolean;
};

export function createRankedPolicy(blocks: KvBlocks, ranking: Ranking): KvPolicy {
  return createWhenReleased(blocks, ({ slotCount }) => createHeapPolicy(slotCount, ranking));
}

function createHeapPolicy(slotCount: number, ranking: Ranking): KvPolicy {
  const heap = createSlotHeap(slotCount);
  const orders = new Float64Array(slotCount);
  let order = 0;
  const touch = (slot: number): void => {
    order += 1;
    orders[slot] = order;
  };
  const put = (slot: number): void => heap.put(slot, ranking.rank(slot), orders[slot] ?? 0);
  return {
    onInsert(slot, atNs) {
      touch(slot);
      ranking.onInsert?.(slot, atNs);
    },
    onAccess(slot, atNs) {
      if (!ranking.tiesByInsertion) touch(slot);
      ranking.onAccess?.(slot, atNs);
      if (heap.has(slot)) put(slot);
    },
    onHold: (slot) => void heap.remove(slot),
    onRelease(slot) {
      if (!ranking.tiesByInsertion) touch(slot);
      put(slot);
    },
    onRemove: (slot) => void heap.remove(slot),
    takeVictim() {
      const slot = heap.first();
      heap.remove(slot);
      ranking.onVictim?.(slot, heap.rankOf(slot));
      return slot;
    },
  };
}
