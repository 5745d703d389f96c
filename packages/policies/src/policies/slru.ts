/**
 * Segmented LRU (Karedla, Love and Wherry, IEEE Computer 27, 1994) with four equal segments: a block enters the lowest
 * that has room, each use lifts it by one, and what overflows a segment falls to the one below.
 */
import { defineKvPolicy, type KvBlocks, type KvPolicy } from "@centspan/model";
import { createQueue } from "../queue.ts";
import { createSlotLists } from "../slot-list.ts";
import { createWhenReleased } from "../when-released.ts";

const SEGMENTS = 4;

export default defineKvPolicy({
  id: "slru",
  describe: "Segmented LRU: four levels, each use lifts a block by one; the least recent of the lowest level goes.",
  releases: "tail-first",
  create: (blocks) => createWhenReleased(blocks, createSegmentedLru),
});

function createSegmentedLru(blocks: KvBlocks): KvPolicy {
  const { capacityBlocks, slotCount } = blocks;
  const lists = createSlotLists(slotCount, SEGMENTS);
  const segments = Array.from({ length: SEGMENTS }, () => createQueue(lists, blocks));
  const levels = new Uint8Array(slotCount);
  const segmentBlocks = Math.max(1, Math.floor(capacityBlocks / SEGMENTS));

  const enter = (slot: number, level: number): void => {
    levels[slot] = level;
    segments[level]?.append(slot);
    const segment = segments[level];
    if (level === 0 || !segment || segment.size <= segmentBlocks) return;
    const oldest = segment.first();
    segment.remove(oldest);
    enter(oldest, level - 1);
  };
  const leave = (slot: number): void => segments[levels[slot] ?? 0]?.remove(slot);

  return {
    onInsert(slot) {
      const roomy = segments.findIndex((segment) => segment.size < segmentBlocks);
      enter(slot, Math.max(0, roomy));
    },
    onAccess(slot) {
      leave(slot);
      enter(slot, Math.min(SEGMENTS - 1, (levels[slot] ?? 0) + 1));
    },
    onHold: () => undefined,
    onRelease: (slot) => segments[levels[slot] ?? 0]?.release(slot),
    onRemove: leave,
    takeVictim() {
      for (const segment of segments) {
        const slot = segment.firstEvictable();
        if (slot < 0) continue;
        segment.remove(slot);
        return slot;
      }
      return -1;
    },
  };
}
