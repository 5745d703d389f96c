/**
 * The shared blocks of one tier by slot, and the policy that ranks them: who is resident, who pins what, what may go.
 * Invariants: a block is idle when nobody pins it; the policy hears of every change before it is asked for a victim; a
 * block whose retention has ended is not found, and gives its slot back when somebody looks for it.
 */
import { assert } from "@centspan/base";
import type { KvBlockId, KvPolicyPlugin, KvThreadEvent } from "@centspan/model";
import { createKeyIndex } from "./key-index.ts";

export type KvTier = {
  /** Pins by slot, to read. */
  readonly pins: Uint32Array;
  /** The slot that holds the key, −1 when none does. A right guess saves the search. */
  find(key: KvBlockId, guess?: number): number;
  /** A new block, pinned once. */
  insert(key: KvBlockId, depth: number, atNs: number, nextUse?: number): number;
  pin(slot: number, atNs: number): void;
  /** A use that pins nothing: replays of bare block accesses. */
  touch(slot: number, atNs: number): void;
  /** Offline replays say when a block is used next, before they touch, pin or insert it. */
  foretell(slot: number, nextUse: number): void;
  /** Unpins a chain, given front to back; what nobody pins any longer is wanted until `expiresNs`. */
  unpin(chain: readonly number[], atNs: number, expiresNs?: number): void;
  /** Whether an idle block's retention has ended. */
  hasExpired(slot: number, atNs: number): boolean;
  expiryOf(slot: number): number;
  depthOf(slot: number): number;
  /** Drops the policy's victim: its slot, whose key, depth and expiry can be read until the next insert. */
  evict(atNs: number, incoming: KvBlockId | null): number;
  keyOf(slot: number): KvBlockId;
  /** Drops an idle block without asking the policy. */
  remove(slot: number): void;
  /**
   * Another policy from now on. It gets what is resident as if it came in anew, in the order of last release, held blocks
   * last; nothing resident is lost, and what the policy before it had learned is.
   */
  setPolicy(plugin: KvPolicyPlugin): void;
  /** What an agent's loop says; its chain names slots. Policies that know no agents don't hear it. */
  tellThread(event: KvThreadEvent): void;
  size(): number;
  idle(): number;
};

/** `spareBlocks` fit beyond the capacity for as long as somebody trims them again: replays of policies that may bypass. */
export function createTier(capacityBlocks: number, plugin: KvPolicyPlugin, spareBlocks = 0): KvTier {
  assert(Number.isSafeInteger(capacityBlocks) && capacityBlocks > 0, `a cache of ${capacityBlocks} blocks`);
  const slotCount = capacityBlocks + spareBlocks;
  const keys: KvBlockId[] = [];
  const index = createKeyIndex(slotCount);
  const freeSlots: number[] = [];
  const pins = new Uint32Array(slotCount);
  const depths = new Uint32Array(slotCount);
  const evictable = new Uint8Array(slotCount);
  const nextUses = new Float64Array(slotCount);
  const expiresNs = new Float64Array(slotCount);
  const blocks = { capacityBlocks, slotCount, keys, depths, evictable, nextUses, expiresNs };
  const isResident = new Uint8Array(slotCount);
  const releasedNs = new Float64Array(slotCount);
  const releases = new Float64Array(slotCount);
  let policy = plugin.create(blocks);
  let policyId = plugin.id;
  let isTailFirst = plugin.releases === "tail-first";
  let size = 0;
  let idle = 0;
  let released = 0;

  const unpinOne = (slot: number, atNs: number, untilNs: number): void => {
    const left = (pins[slot] ?? 0) - 1;
    pins[slot] = left;
    if (left > 0) return;
    idle += 1;
    evictable[slot] = 1;
    expiresNs[slot] = untilNs;
    released += 1;
    releases[slot] = released;
    releasedNs[slot] = atNs;
    policy.onRelease(slot, atNs);
  };
  const free = (slot: number): void => {
    evictable[slot] = 0;
    isResident[slot] = 0;
    index.remove(keys[slot] ?? 0);
    freeSlots.push(slot);
    idle -= 1;
    size -= 1;
  };

  return {
    pins,
    find: (key, guess = -1) => (isResident[guess] === 1 && keys[guess] === key ? guess : index.find(key)),
    insert(key, depth, atNs, nextUse = Number.POSITIVE_INFINITY) {
      const slot = freeSlots.pop() ?? keys.length;
      assert(slot < slotCount, "a tier holds no more blocks than it has slots");
      keys[slot] = key;
      isResident[slot] = 1;
      index.add(key, slot);
      size += 1;
      depths[slot] = depth;
      nextUses[slot] = nextUse;
      pins[slot] = 1;
      policy.onInsert(slot, atNs);
      return slot;
    },
    pin(slot, atNs) {
      const before = pins[slot] ?? 0;
      pins[slot] = before + 1;
      if (before === 0) {
        idle -= 1;
        evictable[slot] = 0;
        policy.onHold(slot);
      }
      policy.onAccess(slot, atNs);
    },
    touch: (slot, atNs) => policy.onAccess(slot, atNs),
    foretell(slot, nextUse) {
      nextUses[slot] = nextUse;
    },
    unpin(chain, atNs, untilNs = Number.POSITIVE_INFINITY) {
      if (!isTailFirst) for (const slot of chain) unpinOne(slot, atNs, untilNs);
      else for (let at = chain.length - 1; at >= 0; at -= 1) unpinOne(chain[at] ?? 0, atNs, untilNs);
    },
    hasExpired: (slot, atNs) => evictable[slot] === 1 && (expiresNs[slot] ?? 0) <= atNs,
    expiryOf: (slot) => expiresNs[slot] ?? 0,
    depthOf: (slot) => depths[slot] ?? 0,
    evict(atNs, incoming) {
      const slot = policy.takeVictim(atNs, incoming);
      assert(evictable[slot] === 1, `the policy ${policyId} chose a block that may not go`);
      free(slot);
      return slot;
    },
    keyOf: (slot) => keys[slot] ?? 0,
    remove(slot) {
      assert(evictable[slot] === 1, "only an idle block can be dropped");
      policy.onRemove(slot);
      free(slot);
    },
    setPolicy(next) {
      policy = next.create(blocks);
      policyId = next.id;
      isTailFirst = next.releases === "tail-first";
      const order = (slot: number): number =>
        evictable[slot] === 1 ? (releases[slot] ?? 0) : Number.POSITIVE_INFINITY;
      const resident = keys.map((_, slot) => slot).filter((slot) => isResident[slot] === 1);
      resident.sort((a, b) => (order(a) === order(b) ? 0 : order(a) - order(b)));
      for (const slot of resident) {
        policy.onInsert(slot, releasedNs[slot] ?? 0);
        if (evictable[slot] === 1) policy.onRelease(slot, releasedNs[slot] ?? 0);
      }
    },
    tellThread: (event) => policy.onThread?.(event),
    size: () => size,
    idle: () => idle,
  };
}
