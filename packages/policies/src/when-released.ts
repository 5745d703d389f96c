/**
 * A policy that hears of the blocks of a chain in the order of their release: that a block came in or was used takes
 * effect when nobody holds it any longer. Released from the tail, a chain then loses its tail first under any policy that
 * goes by order, and its front stays useful.
 */
import type { KvBlocks, KvPolicy } from "@centspan/model";

export function createWhenReleased(blocks: KvBlocks, create: (blocks: KvBlocks) => KvPolicy): KvPolicy {
  const { slotCount, evictable } = blocks;
  const inner = create(blocks);
  const isKnown = new Uint8Array(slotCount);
  const usesHeld = new Uint32Array(slotCount);
  return {
    ...inner,
    onInsert(slot) {
      isKnown[slot] = 0;
      usesHeld[slot] = 0;
    },
    onAccess(slot, atNs) {
      if (evictable[slot] === 1) inner.onAccess(slot, atNs);
      else usesHeld[slot] = (usesHeld[slot] ?? 0) + 1;
    },
    onRelease(slot, atNs) {
      if (isKnown[slot] === 0) inner.onInsert(slot, atNs);
      isKnown[slot] = 1;
      for (let left = usesHeld[slot] ?? 0; left > 0; left -= 1) inner.onAccess(slot, atNs);
      usesHeld[slot] = 0;
      inner.onRelease(slot, atNs);
    },
    onRemove(slot) {
      if (isKnown[slot] === 1) inner.onRemove(slot);
    },
  };
}
