/**
 * A paged KV cache with prefix reuse. Every block is free, exclusive to one lease (being filled, or not shareable), or
 * shared under its chained hash: pinned while a lease uses it, idle after, until the policy picks it.
 * A lease holds its chain from the first block on, so what hangs below an idle block is idle too.
 * Invariants: free + exclusive + pinned + idle = capacity; only idle blocks are evicted; an operation that can't be done
 * in full changes nothing.
 */
import { assert } from "@centspan/base";
import type { KvBlockId, KvPolicyPlugin } from "@centspan/model";
import { createTier } from "./kv-tier.ts";
import type { BlockCounts } from "./serving-types.ts";

/** The blocks of one request. Opaque: only the cache looks inside. */
export type KvLease = { readonly chain: number[]; exclusiveBlocks: number; open: boolean };

export const countSharedBlocks = (lease: KvLease): number => lease.chain.length;
export const countHeldBlocks = (lease: KvLease): number => lease.chain.length + lease.exclusiveBlocks;

export type KvCache = {
  /** Pins the leading resident blocks of `keys`, at most `maxHitBlocks`, and adds blocks up to `totalBlocks`. */
  open(request: KvOpen): { lease: KvLease; hitBlocks: number; evicted: KvBlockId[] } | null;
  /** Adds exclusive blocks; the keys evicted for them, or null when there is no room. */
  grow(lease: KvLease, blocks: number, atNs: number): KvBlockId[] | null;
  /** The lease's next exclusive block is full: shares it under its hash, or joins the block that is there already. */
  publish(lease: KvLease, key: KvBlockId, atNs: number): void;
  close(lease: KvLease, atNs: number): void;
  /** Leading blocks of `keys` that are resident. Asking changes nothing. */
  countHits(keys: readonly KvBlockId[]): number;
  counts(): BlockCounts;
};

export type KvOpen = { keys: readonly KvBlockId[]; maxHitBlocks: number; totalBlocks: number; atNs: number };

export function createKvCache(options: { capacityBlocks: number; policy: KvPolicyPlugin }): KvCache {
  const { capacityBlocks, policy: plugin } = options;
  const tier = createTier(capacityBlocks, plugin);
  const { pins } = tier;
  let free = capacityBlocks;
  let exclusive = 0;

  const addExclusive = (lease: KvLease, blocks: number, keys: readonly KvBlockId[], atNs: number): KvBlockId[] => {
    const evicted: KvBlockId[] = [];
    for (let at = 0; free < blocks; at += 1) {
      evicted.push(tier.evict(atNs, keys[lease.chain.length + at] ?? null));
      free += 1;
    }
    free -= blocks;
    exclusive += blocks;
    lease.exclusiveBlocks += blocks;
    return evicted;
  };

  const findHits = (keys: readonly KvBlockId[], most: number): number[] => {
    const hits: number[] = [];
    while (hits.length < most) {
      const key = keys[hits.length];
      const slot = key === undefined ? -1 : tier.find(key);
      if (slot < 0) break;
      hits.push(slot);
    }
    return hits;
  };

  return {
    open({ keys, maxHitBlocks, totalBlocks, atNs }) {
      const chain = findHits(keys, Math.min(maxHitBlocks, totalBlocks));
      const hitBlocks = chain.length;
      const missing = totalBlocks - hitBlocks;
      const idleHits = chain.reduce((sum, slot) => sum + (pins[slot] === 0 ? 1 : 0), 0);
      if (missing > free + tier.idle() - idleHits) return null;
      for (const slot of chain) tier.pin(slot, atNs);
      const lease: KvLease = { chain, exclusiveBlocks: 0, open: true };
      return { hitBlocks, evicted: addExclusive(lease, missing, keys, atNs), lease };
    },

    grow(lease, blocks, atNs) {
      assert(lease.open, "a closed lease can't grow");
      return blocks > free + tier.idle() ? null : addExclusive(lease, blocks, [], atNs);
    },

    publish(lease, key, atNs) {
      assert(lease.open && lease.exclusiveBlocks > 0, "only a block that the lease holds can be shared");
      lease.exclusiveBlocks -= 1;
      exclusive -= 1;
      const { chain } = lease;
      const known = tier.find(key);
      if (known < 0) chain.push(tier.insert(key, { parent: chain.at(-1) ?? -1, depth: chain.length }, atNs));
      else {
        free += 1;
        tier.pin(known, atNs);
        chain.push(known);
      }
    },

    close(lease, atNs) {
      assert(lease.open, "a lease is closed once");
      lease.open = false;
      free += lease.exclusiveBlocks;
      exclusive -= lease.exclusiveBlocks;
      lease.exclusiveBlocks = 0;
      tier.unpin(lease.chain, atNs);
    },

    countHits: (keys) => findHits(keys, keys.length).length,
    counts: () => {
      const idle = tier.idle();
      return { capacity: capacityBlocks, free, exclusive, pinned: tier.size() - idle, idle };
    },
  };
}
