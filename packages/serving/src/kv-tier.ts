/**
 * The shared blocks of one tier by slot, and the policy that ranks them: who is resident, who pins what, what may go.
 * Invariants: a block is idle when nobody pins it; the policy hears of every change before it is asked for a victim.
 */
import { assert } from "@centspan/base";
import type { KvBlockId, KvPolicyPlugin } from "@centspan/model";
import { createKeyIndex } from "./key-index.ts";

export type KvTier = {
  /** Pins by slot, to read. */
  readonly pins: Uint32Array;
  /** The slot that holds the key, −1 when none does. */
  find(key: KvBlockId): number;
  /** A new block, pinned once. `parent` is the slot of the block before it, −1 for the first of a chain. */
  insert(key: KvBlockId, place: { parent: number; depth: number }, atNs: number, nextUse?: number): number;
  pin(slot: number, atNs: number): void;
  /** A use that pins nothing: replays of bare block accesses. */
  touch(slot: number, atNs: number): void;
  /** Offline replays say when a block is used next, before they touch, pin or insert it. */
  foretell(slot: number, nextUse: number): void;
  /** Unpins a chain, given front to back. */
  unpin(chain: readonly number[], atNs: number): void;
  /** Drops the policy's victim and returns its key. There must be an idle block. */
  evict(atNs: number, incoming: KvBlockId | null): KvBlockId;
  size(): number;
  idle(): number;
};

export function createTier(capacityBlocks: number, plugin: KvPolicyPlugin): KvTier {
  assert(Number.isSafeInteger(capacityBlocks) && capacityBlocks > 0, `a cache of ${capacityBlocks} blocks`);
  const slotCount = capacityBlocks;
  const keys: KvBlockId[] = [];
  const index = createKeyIndex(slotCount);
  const freeSlots: number[] = [];
  const pins = new Uint32Array(slotCount);
  const depths = new Uint32Array(slotCount);
  const evictable = new Uint8Array(slotCount);
  const nextUses = new Float64Array(slotCount).fill(Number.POSITIVE_INFINITY);
  // Resident blocks that continue each one; kept for policies that evict leaves, which alone ask for it.
  const byLeaves = plugin.evicts === "leaves";
  const parents = new Int32Array(byLeaves ? slotCount : 0);
  const children = new Uint32Array(byLeaves ? slotCount : 0);
  const policy = plugin.create({ capacityBlocks, slotCount, keys, depths, evictable, nextUses });
  const tailFirst = plugin.releases === "tail-first";
  let size = 0;
  let idle = 0;

  const release = (slot: number, atNs: number): void => {
    if (byLeaves && children[slot] !== 0) return;
    evictable[slot] = 1;
    policy.onRelease(slot, atNs);
  };

  const unpinOne = (slot: number, atNs: number): void => {
    const left = (pins[slot] ?? 0) - 1;
    pins[slot] = left;
    if (left > 0) return;
    idle += 1;
    release(slot, atNs);
  };

  return {
    pins,
    find: index.find,
    insert(key, { parent, depth }, atNs, nextUse = Number.POSITIVE_INFINITY) {
      const slot = freeSlots.pop() ?? keys.length;
      assert(slot < slotCount, "a tier holds no more blocks than it has slots");
      keys[slot] = key;
      index.add(key, slot);
      size += 1;
      depths[slot] = depth;
      nextUses[slot] = nextUse;
      pins[slot] = 1;
      if (byLeaves) {
        parents[slot] = parent;
        if (parent >= 0) children[parent] = (children[parent] ?? 0) + 1;
      }
      policy.onInsert(slot, atNs);
      return slot;
    },
    pin(slot, atNs) {
      const before = pins[slot] ?? 0;
      pins[slot] = before + 1;
      if (before === 0) {
        idle -= 1;
        if (evictable[slot] === 1) {
          evictable[slot] = 0;
          policy.onHold(slot);
        }
      }
      policy.onAccess(slot, atNs);
    },
    touch: (slot, atNs) => policy.onAccess(slot, atNs),
    foretell(slot, nextUse) {
      nextUses[slot] = nextUse;
    },
    unpin(chain, atNs) {
      if (tailFirst) for (let at = chain.length - 1; at >= 0; at -= 1) unpinOne(chain[at] ?? 0, atNs);
      else for (const slot of chain) unpinOne(slot, atNs);
    },
    evict(atNs, incoming) {
      const slot = policy.takeVictim(atNs, incoming);
      const key = keys[slot];
      assert(key !== undefined && evictable[slot] === 1, `the policy ${plugin.id} chose a block that may not go`);
      evictable[slot] = 0;
      index.remove(key);
      size -= 1;
      freeSlots.push(slot);
      idle -= 1;
      if (byLeaves) {
        const parent = parents[slot] ?? -1;
        if (parent >= 0) {
          children[parent] = (children[parent] ?? 0) - 1;
          if (pins[parent] === 0) release(parent, atNs);
        }
      }
      return key;
    },
    size: () => size,
    idle: () => idle,
  };
}
