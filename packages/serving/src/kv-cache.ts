/**
 * A paged KV cache with prefix reuse. Every block of the device is free, exclusive to one lease (being filled, or not
 * shareable), or shared under its chained hash: pinned while a lease uses it, idle after, until the policy picks it. What
 * the device has to give up may stay in lower tiers, and is read from there.
 * A lease holds its chain from the first block on, so what hangs below an idle block is idle too.
 * Invariants: free + exclusive + pinned + idle = capacity; only idle blocks are evicted; an operation that can't be done
 * in full changes nothing.
 */
import { assert } from "@centspan/base";
import type { KvBlockId, KvPolicyPlugin, KvThreadEvent, KvWait } from "@centspan/model";
import type { BlockCounts } from "./block-counts.ts";
import { createTier } from "./kv-tier.ts";
import {
  createLowerTiers,
  type LowerTierConfig,
  type LowerTiers,
  type TierCounts,
  type TierMode,
  type TierRead,
} from "./lower-tiers.ts";

/** The blocks of one request. Opaque: only the cache looks inside. */
export type KvLease = {
  readonly chain: number[];
  exclusiveBlocks: number;
  open: boolean;
  readonly thread: KvThreadId | null;
  readonly retentionNs: number;
};
export type KvThreadId = { runId: string; threadId: string };

export const countSharedBlocks = (lease: KvLease): number => lease.chain.length;
export const countHeldBlocks = (lease: KvLease): number => lease.chain.length + lease.exclusiveBlocks;

export type KvCache = {
  /**
   * Pins the leading resident blocks of `keys`, at most `maxHitBlocks`, reads what follows from lower tiers, and adds
   * blocks up to `totalBlocks`.
   */
  open(request: KvOpen): KvOpened | null;
  /** Whether `open` would find room. Asking changes nothing. */
  hasRoom(request: KvOpen): boolean;
  /** Adds exclusive blocks; the keys evicted for them, or null when there is no room. */
  grow(lease: KvLease, blocks: number, atNs: number): KvBlockId[] | null;
  /** The lease's next exclusive block is full: shares it under its hash, or joins the block that is there already. */
  publish(lease: KvLease, key: KvBlockId, atNs: number): void;
  /** `waitsFor` when the request was answered: what its thread does now. */
  close(lease: KvLease, atNs: number, waitsFor?: KvWait): void;
  /** What an agent's loop knows beyond its requests: the end of a run or a sub-agent, a long wait. */
  hint(event: Extract<KvThreadEvent, { kind: "ended" | "run_ended" | "long_wait" }>): void;
  /** Another eviction policy on the device from now on; everything resident stays. */
  setPolicy(policy: KvPolicyPlugin): void;
  /** Leading blocks of `keys` that are on the device. Asking changes nothing. */
  countHits(keys: readonly KvBlockId[]): number;
  counts(): BlockCounts;
  tierCounts(): TierCounts[];
};

export type KvOpen = {
  keys: readonly KvBlockId[];
  maxHitBlocks: number;
  totalBlocks: number;
  atNs: number;
  /** Whose request it is, where the agent's loop tells. */
  thread?: KvThreadId;
  /** How long the blocks are wanted after their last use, where it differs from the cache's own retention. */
  retentionNs?: number;
};

export type KvOpened = {
  lease: KvLease;
  /** Blocks that need no computing: those of the device and those read from lower tiers. */
  hitBlocks: number;
  /** Blocks behind the hits of the device that it had kept for as long as it keeps any. */
  expiredBlocks: number;
  /** What of the hits came from lower tiers, and how long bringing it takes. */
  reads: TierRead[];
  transferNs: number;
  evicted: KvBlockId[];
};

export type KvCacheOptions = {
  capacityBlocks: number;
  policy: KvPolicyPlugin;
  /** From the fastest to the slowest. */
  lowerTiers?: readonly LowerTierConfig[];
  /** Exclusive unless said otherwise. */
  tierMode?: TierMode;
  /** How long an idle block may be used again; for ever unless said otherwise. */
  retentionNs?: number;
};

const FOR_EVER = Number.POSITIVE_INFINITY;
/** Shared, so that calls which evict nothing allocate nothing. */
const NOTHING_EVICTED: KvBlockId[] = [];
const NO_READS = { reads: [], transferNs: 0 };

export function createKvCache(options: KvCacheOptions): KvCache {
  const { capacityBlocks, lowerTiers = [], tierMode = "exclusive", retentionNs: usualRetentionNs = FOR_EVER } = options;
  const device = createTier(capacityBlocks, options.policy);
  const lower = lowerTiers.length === 0 ? null : createLowerTiers(lowerTiers, tierMode);
  const { pins } = device;
  let free = capacityBlocks;
  let exclusive = 0;

  const evictOne = (atNs: number, incoming: KvBlockId | null): KvBlockId => {
    const slot = device.evict(atNs, incoming);
    const key = device.keyOf(slot);
    free += 1;
    if (lower?.mode === "exclusive") {
      lower.write({ key, depth: device.depthOf(slot), expiresNs: device.expiryOf(slot) }, atNs);
    }
    return key;
  };
  const addExclusive = (lease: KvLease, blocks: number, keys: readonly KvBlockId[], atNs: number): KvBlockId[] => {
    const evicted: KvBlockId[] = free < blocks ? [] : NOTHING_EVICTED;
    for (let at = lease.chain.length; free < blocks; at += 1) evicted.push(evictOne(atNs, keys[at] ?? null));
    free -= blocks;
    exclusive += blocks;
    lease.exclusiveBlocks += blocks;
    return evicted;
  };
  const findAt = (keys: readonly KvBlockId[], at: number): number => {
    const key = keys[at];
    return key === undefined ? -1 : device.find(key);
  };
  const findHits = (keys: readonly KvBlockId[], most: number, atNs: number): number[] => {
    const hits: number[] = [];
    while (hits.length < most) {
      const slot = findAt(keys, hits.length);
      if (slot < 0 || device.hasExpired(slot, atNs)) break;
      hits.push(slot);
    }
    return hits;
  };
  const fits = (chain: readonly number[], totalBlocks: number): boolean => {
    const idleHits = chain.reduce((sum, slot) => sum + (pins[slot] === 0 ? 1 : 0), 0);
    return totalBlocks - chain.length <= free + device.idle() - idleHits;
  };
  /** Of the blocks that follow the hits, those that had their time; how many. */
  const dropExpired = (keys: readonly KvBlockId[], from: number, most: number, atNs: number): number => {
    let at = from;
    for (; at < most; at++) {
      const slot = findAt(keys, at);
      if (slot < 0 || !device.hasExpired(slot, atNs)) break;
      device.remove(slot);
      free += 1;
    }
    return at - from;
  };
  const share = (lease: KvLease, key: KvBlockId, atNs: number): void => {
    lease.exclusiveBlocks -= 1;
    exclusive -= 1;
    const { chain } = lease;
    const known = device.find(key);
    if (known < 0) chain.push(device.insert(key, chain.length, atNs));
    else {
      free += 1;
      device.pin(known, atNs);
      chain.push(known);
    }
  };

  return {
    open({ keys, maxHitBlocks, totalBlocks, atNs, thread = null, retentionNs = usualRetentionNs }) {
      const most = Math.min(maxHitBlocks, totalBlocks);
      const chain = findHits(keys, most, atNs);
      const expiredBlocks = dropExpired(keys, chain.length, most, atNs);
      if (!fits(chain, totalBlocks)) return null;
      for (const slot of chain) device.pin(slot, atNs);
      const lease: KvLease = { chain, exclusiveBlocks: 0, open: true, thread, retentionNs };
      if (thread) device.tellThread({ kind: "requested", ...thread, atNs });
      const below = lower ? findBelow(lower, keys.slice(chain.length, most), atNs) : [];
      // Read before room is made: what the device gives up must not push out what is read.
      const read = lower && below.length > 0 ? lower.read(below, atNs) : NO_READS;
      const evicted = addExclusive(lease, totalBlocks - chain.length, keys, atNs);
      for (const key of below) share(lease, key, atNs);
      return { lease, hitBlocks: chain.length, expiredBlocks, ...read, evicted };
    },

    hasRoom: ({ keys, maxHitBlocks, totalBlocks, atNs }) =>
      fits(findHits(keys, Math.min(maxHitBlocks, totalBlocks), atNs), totalBlocks),

    grow(lease, blocks, atNs) {
      assert(lease.open, "a closed lease can't grow");
      return blocks > free + device.idle() ? null : addExclusive(lease, blocks, [], atNs);
    },

    publish(lease, key, atNs) {
      assert(lease.open && lease.exclusiveBlocks > 0, "only a block that the lease holds can be shared");
      const depth = lease.chain.length;
      share(lease, key, atNs);
      if (lower?.mode === "exclusive") lower.forget(key);
      else lower?.write({ key, depth, expiresNs: atNs + lease.retentionNs }, atNs);
    },

    close(lease, atNs, waitsFor) {
      assert(lease.open, "a lease is closed once");
      lease.open = false;
      free += lease.exclusiveBlocks;
      exclusive -= lease.exclusiveBlocks;
      lease.exclusiveBlocks = 0;
      const { chain, thread } = lease;
      if (thread && waitsFor) device.tellThread({ kind: "waiting", ...thread, atNs, waitsFor, chain });
      device.unpin(chain, atNs, atNs + lease.retentionNs);
    },

    hint: device.tellThread,
    setPolicy: device.setPolicy,
    countHits(keys) {
      const miss = keys.findIndex((key) => device.find(key) < 0);
      return miss < 0 ? keys.length : miss;
    },
    counts() {
      const idle = device.idle();
      return { capacity: capacityBlocks, free, exclusive, pinned: device.size() - idle, idle };
    },
    tierCounts: () => lower?.counts() ?? [],
  };
}

/** The leading keys that a lower tier holds. */
function findBelow(lower: LowerTiers, keys: readonly KvBlockId[], atNs: number): KvBlockId[] {
  const miss = keys.findIndex((key) => !lower.has(key, atNs));
  return miss < 0 ? [...keys] : keys.slice(0, miss);
}
