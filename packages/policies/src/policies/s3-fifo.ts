/**
 * Yang et al., "FIFO Queues are All You Need for Cache Eviction", SOSP 2023: small queue of a tenth, main queue, and a
 * ghost queue as long as the main one. Two uses in the small queue lead to the main queue.
 */
import { defineKvPolicy, type KvBlocks, type KvPolicy } from "@centspan/model";
import { createGhostList } from "../ghost-list.ts";
import { createQueue } from "../queue.ts";
import { createSlotLists } from "../slot-list.ts";
import { createWhenReleased } from "../when-released.ts";

const SMALL_SHARE = 0.1;
const USES_TO_MAIN = 2;
const MOST_USES = 3;

export default defineKvPolicy({
  id: "s3-fifo",
  describe: "Small FIFO of a tenth before a main FIFO with second chances; what was dropped lately comes back to main.",
  releases: "tail-first",
  create: (blocks) => createWhenReleased(blocks, createS3Fifo),
});

function createS3Fifo(blocks: KvBlocks): KvPolicy {
  const { capacityBlocks, slotCount, keys } = blocks;
  const smallBlocks = Math.max(1, Math.floor(capacityBlocks * SMALL_SHARE));
  const lists = createSlotLists(slotCount, 2);
  const small = createQueue(lists, blocks);
  const main = createQueue(lists, blocks);
  const inMain = new Uint8Array(slotCount);
  const uses = new Uint8Array(slotCount);
  const ghosts = createGhostList();

  const enterMain = (slot: number): void => {
    inMain[slot] = 1;
    uses[slot] = 0;
    main.append(slot);
  };
  const takeFromSmall = (): number => {
    for (;;) {
      const slot = small.firstEvictable();
      if (slot < 0) return slot;
      small.remove(slot);
      if ((uses[slot] ?? 0) < USES_TO_MAIN) {
        const key = keys[slot];
        if (key !== undefined) ghosts.append(key);
        if (ghosts.size > capacityBlocks - smallBlocks) ghosts.dropOldest();
        return slot;
      }
      enterMain(slot);
    }
  };
  const takeFromMain = (): number => {
    for (;;) {
      const slot = main.firstEvictable();
      if (slot < 0) return slot;
      main.remove(slot);
      const left = uses[slot] ?? 0;
      if (left === 0) return slot;
      uses[slot] = left - 1;
      main.append(slot);
    }
  };

  return {
    onInsert(slot) {
      uses[slot] = 0;
      const key = keys[slot];
      if (key !== undefined && ghosts.remove(key)) enterMain(slot);
      else {
        inMain[slot] = 0;
        small.append(slot);
      }
    },
    onAccess(slot) {
      uses[slot] = Math.min(MOST_USES, (uses[slot] ?? 0) + 1);
    },
    onHold: () => undefined,
    onRelease: (slot) => (inMain[slot] === 1 ? main : small).release(slot),
    onRemove: (slot) => (inMain[slot] === 1 ? main : small).remove(slot),
    takeVictim() {
      const fromSmall = small.size >= smallBlocks || main.size === 0;
      const slot = fromSmall ? takeFromSmall() : takeFromMain();
      if (slot >= 0) return slot;
      const other = fromSmall ? takeFromMain() : takeFromSmall();
      return other >= 0 ? other : takeFromMain();
    },
  };
}
