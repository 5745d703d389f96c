/**
 * Window TinyLFU (Einziger, Friedman and Manes, ACM TOS 13, 2017): an LRU window of a hundredth before a segmented LRU,
 * which a block enters only if it was asked for more often than the one it would push out. Counts are exact here instead
 * of sketched, and halved every ten capacities of accesses.
 */
import { defineKvPolicy, type KvBlocks, type KvPolicy } from "@centspan/model";
import { createFrequencies } from "../frequencies.ts";
import { createQueue } from "../queue.ts";
import { createSlotLists } from "../slot-list.ts";
import { createWhenReleased } from "../when-released.ts";

const WINDOW_SHARE = 0.01;
const PROTECTED_SHARE = 0.8;
const WINDOW = 0;
const PROBATION = 1;
const PROTECTED = 2;

export default defineKvPolicy({
  id: "w-tinylfu",
  describe: "Window TinyLFU: new blocks must be asked for more often than the block they would replace.",
  releases: "tail-first",
  create: (blocks) => createWhenReleased(blocks, createWindowTinyLfu),
});

function createWindowTinyLfu(blocks: KvBlocks): KvPolicy {
  const { capacityBlocks, slotCount, keys } = blocks;
  const windowBlocks = Math.max(1, Math.floor(capacityBlocks * WINDOW_SHARE));
  const protectedBlocks = Math.floor((capacityBlocks - windowBlocks) * PROTECTED_SHARE);
  const frequencies = createFrequencies(10 * capacityBlocks);
  const lists = createSlotLists(slotCount, 3);
  const window = createQueue(lists, blocks);
  const probation = createQueue(lists, blocks);
  const guarded = createQueue(lists, blocks);
  const segments = [window, probation, guarded] as const;
  const places = new Uint8Array(slotCount);

  const move = (slot: number, to: 0 | 1 | 2): void => {
    places[slot] = to;
    segments[to].append(slot);
  };
  const leave = (slot: number): void => listOf(slot).remove(slot);
  const listOf = (slot: number) =>
    places[slot] === WINDOW ? window : places[slot] === PROBATION ? probation : guarded;
  const count = (slot: number): number => frequencies.count(keys[slot] ?? "");
  const findMainVictim = (): number => {
    const slot = probation.firstEvictable();
    return slot >= 0 ? slot : guarded.firstEvictable();
  };

  return {
    onInsert(slot) {
      frequencies.add(keys[slot] ?? "");
      move(slot, WINDOW);
      // Until the cache is full, what leaves the window goes on unchallenged.
      if (window.size + probation.size + guarded.size >= capacityBlocks || window.size <= windowBlocks) return;
      const oldest = window.first();
      window.remove(oldest);
      move(oldest, PROBATION);
    },
    onAccess(slot) {
      frequencies.add(keys[slot] ?? "");
      const place = places[slot];
      leave(slot);
      if (place === WINDOW) return move(slot, WINDOW);
      move(slot, PROTECTED);
      if (guarded.size <= protectedBlocks) return;
      const oldest = guarded.first();
      guarded.remove(oldest);
      move(oldest, PROBATION);
    },
    onHold: () => undefined,
    onRelease: (slot) => listOf(slot).release(slot),
    onRemove: leave,
    takeVictim() {
      const candidate = window.size >= windowBlocks ? window.firstEvictable() : -1;
      const incumbent = findMainVictim();
      const admits = candidate >= 0 && incumbent >= 0 && count(candidate) > count(incumbent);
      const victim = admits || candidate < 0 ? incumbent : candidate;
      if (admits) {
        window.remove(candidate);
        move(candidate, PROBATION);
      }
      const slot = victim >= 0 ? victim : window.firstEvictable();
      leave(slot);
      return slot;
    },
  };
}
