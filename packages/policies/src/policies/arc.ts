/**
 * Megiddo and Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003. Recent blocks (used once) and
 * frequent ones (used again), each with a ghost list; a hit in a ghost list moves the target size of `recent`.
 */
import { defineKvPolicy, type KvBlockId, type KvBlocks, type KvPolicy } from "@centspan/model";
import { createGhostList } from "../ghost-list.ts";
import { createQueue } from "../queue.ts";
import { createSlotLists } from "../slot-list.ts";
import { createWhenReleased } from "../when-released.ts";

export default defineKvPolicy({
  id: "arc",
  describe: "Adaptive replacement: balances recency against frequency by what it regrets to have dropped.",
  releases: "tail-first",
  create: (blocks) => createWhenReleased(blocks, createArc),
});

function createArc(blocks: KvBlocks): KvPolicy {
  const { capacityBlocks, slotCount, keys } = blocks;
  const lists = createSlotLists(slotCount, 2);
  const recent = createQueue(lists, blocks);
  const frequent = createQueue(lists, blocks);
  const isFrequent = new Uint8Array(slotCount);
  const recentGhosts = createGhostList();
  const frequentGhosts = createGhostList();
  let target = 0;
  /** The block whose return has moved the target already, when its victim was chosen. */
  let adaptedFor: KvBlockId | null = null;

  const adapt = (key: KvBlockId): void => {
    if (adaptedFor === key) return;
    adaptedFor = key;
    const b1 = recentGhosts.size;
    const b2 = frequentGhosts.size;
    if (recentGhosts.has(key)) target = Math.min(capacityBlocks, target + Math.max(1, b2 / b1));
    else if (frequentGhosts.has(key)) target = Math.max(0, target - Math.max(1, b1 / b2));
  };
  const drop = (slot: number): number => {
    (isFrequent[slot] === 1 ? frequent : recent).remove(slot);
    return slot;
  };
  const replace = (incoming: KvBlockId | null): number => {
    const returns = incoming !== null && frequentGhosts.has(incoming);
    const fromRecent = recent.size > 0 && (recent.size > target || (returns && recent.size === target));
    const preferred = (fromRecent ? recent : frequent).firstEvictable();
    return preferred >= 0 ? preferred : (fromRecent ? frequent : recent).firstEvictable();
  };

  return {
    onInsert(slot) {
      const key = keys[slot];
      if (key === undefined) return;
      adapt(key);
      adaptedFor = null;
      const returned = recentGhosts.remove(key) || frequentGhosts.remove(key);
      isFrequent[slot] = returned ? 1 : 0;
      (returned ? frequent : recent).append(slot);
    },
    onAccess(slot) {
      drop(slot);
      isFrequent[slot] = 1;
      frequent.append(slot);
    },
    onHold: () => undefined,
    onRelease: (slot) => (isFrequent[slot] === 1 ? frequent : recent).release(slot),
    onRemove: drop,
    takeVictim(_atNs, incoming) {
      if (incoming !== null) adapt(incoming);
      const known = incoming !== null && (recentGhosts.has(incoming) || frequentGhosts.has(incoming));
      const isRecentFull = recent.size + recentGhosts.size >= capacityBlocks;
      if (!known && isRecentFull && recentGhosts.size === 0) {
        const oldest = recent.firstEvictable();
        if (oldest >= 0) return drop(oldest);
      }
      if (!known && isRecentFull) recentGhosts.dropOldest();
      else if (!known && recent.size + frequent.size + recentGhosts.size + frequentGhosts.size >= 2 * capacityBlocks) {
        frequentGhosts.dropOldest();
      }
      const slot = replace(incoming);
      const key = keys[slot];
      if (key !== undefined) (isFrequent[slot] === 1 ? frequentGhosts : recentGhosts).append(key);
      return drop(slot);
    },
  };
}
