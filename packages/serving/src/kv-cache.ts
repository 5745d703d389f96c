/**
 * A paged KV cache with prefix reuse. Every block is free, exclusive to one lease (being filled, or not shareable), or
 * shared under its chained hash: pinned while a lease uses it, idle after, until the policy picks it.
 * A lease holds its chain from the first block on, so what hangs below an idle block is idle too.
 * Invariants: free + exclusive + pinned + idle = capacity; only idle blocks are evicted; an operation that can't be done
 * in full changes nothing.
 */
import { assert } from "@centspan/base";
import type { KvBlockId, KvPolicyPlugin } from "@centspan/model";
import type { BlockCounts } from "./serving-types.ts";

type SharedBlock = {
  key: KvBlockId;
  parent: SharedBlock | null;
  depth: number;
  pins: number;
  /** Resident blocks that continue this one; kept exact for policies that evict leaves, which alone ask for it. */
  children: number;
};

/** The blocks of one request. Opaque: only this file looks inside. */
export type KvLease = { readonly chain: SharedBlock[]; exclusiveBlocks: number; open: boolean };

export const countSharedBlocks = (lease: KvLease): number => lease.chain.length;
export const countHeldBlocks = (lease: KvLease): number => lease.chain.length + lease.exclusiveBlocks;

export type KvCache = {
  /** Pins the leading resident blocks of `keys`, at most `maxHitBlocks`, and adds blocks up to `totalBlocks`. */
  open(request: KvOpen): { lease: KvLease; hitBlocks: number; evicted: KvBlockId[] } | null;
  /** Adds exclusive blocks; the keys evicted for them, or null when there is no room. */
  grow(lease: KvLease, blocks: number): KvBlockId[] | null;
  /** The lease's next exclusive block is full: shares it under its hash, or joins the block that is there already. */
  publish(lease: KvLease, key: KvBlockId, atNs: bigint): void;
  close(lease: KvLease, atNs: bigint): void;
  /** Leading blocks of `keys` that are resident. Asking changes nothing. */
  countHits(keys: readonly KvBlockId[]): number;
  counts(): BlockCounts;
};

export type KvOpen = { keys: readonly KvBlockId[]; maxHitBlocks: number; totalBlocks: number; atNs: bigint };

export function createKvCache(options: { capacityBlocks: number; policy: KvPolicyPlugin }): KvCache {
  const { capacityBlocks, policy: plugin } = options;
  assert(Number.isSafeInteger(capacityBlocks) && capacityBlocks > 0, `a cache of ${capacityBlocks} blocks`);
  const policy = plugin.create(capacityBlocks);
  const shared = new Map<KvBlockId, SharedBlock>();
  let free = capacityBlocks;
  let exclusive = 0;
  let idle = 0;

  const tellPolicy = (block: SharedBlock): void =>
    policy.setEvictable(block.key, block.pins === 0 && (plugin.evicts === "any" || block.children === 0));

  const pin = (block: SharedBlock, atNs: bigint): void => {
    policy.onAccess({ block: block.key, depth: block.depth, atNs });
    if (block.pins === 0) idle -= 1;
    block.pins += 1;
    if (block.pins === 1) tellPolicy(block);
  };

  const evictOne = (): KvBlockId => {
    const key = policy.chooseVictim();
    const block = key === null ? undefined : shared.get(key);
    assert(block && block.pins === 0, `the policy ${plugin.id} chose a block that may not go`);
    policy.onRemove(block.key);
    shared.delete(block.key);
    idle -= 1;
    free += 1;
    if (block.parent && shared.get(block.parent.key) === block.parent) {
      block.parent.children -= 1;
      tellPolicy(block.parent);
    }
    return block.key;
  };

  const addExclusive = (lease: KvLease, blocks: number): KvBlockId[] => {
    const evicted: KvBlockId[] = [];
    while (free < blocks) evicted.push(evictOne());
    free -= blocks;
    exclusive += blocks;
    lease.exclusiveBlocks += blocks;
    return evicted;
  };

  const findHits = (keys: readonly KvBlockId[], most: number): SharedBlock[] => {
    const hits: SharedBlock[] = [];
    for (const key of keys) {
      const block = hits.length < most ? shared.get(key) : undefined;
      if (!block) break;
      hits.push(block);
    }
    return hits;
  };

  return {
    open({ keys, maxHitBlocks, totalBlocks, atNs }) {
      const hits = findHits(keys, Math.min(maxHitBlocks, totalBlocks));
      const missing = totalBlocks - hits.length;
      const idleHits = hits.filter((block) => block.pins === 0).length;
      if (missing > free + idle - idleHits) return null;
      for (const block of hits) pin(block, atNs);
      const lease: KvLease = { chain: hits, exclusiveBlocks: 0, open: true };
      return { hitBlocks: hits.length, evicted: addExclusive(lease, missing), lease };
    },

    grow(lease, blocks) {
      assert(lease.open, "a closed lease can't grow");
      return blocks > free + idle ? null : addExclusive(lease, blocks);
    },

    publish(lease, key, atNs) {
      assert(lease.open && lease.exclusiveBlocks > 0, "only a block that the lease holds can be shared");
      lease.exclusiveBlocks -= 1;
      exclusive -= 1;
      const parent = lease.chain.at(-1) ?? null;
      const known = shared.get(key);
      if (known) {
        free += 1;
        pin(known, atNs);
        lease.chain.push(known);
        return;
      }
      const block: SharedBlock = { key, parent, depth: lease.chain.length, pins: 1, children: 0 };
      shared.set(key, block);
      policy.onInsert({ block: key, depth: block.depth, atNs });
      if (parent) parent.children += 1;
      lease.chain.push(block);
    },

    close(lease, atNs) {
      assert(lease.open, "a lease is closed once");
      lease.open = false;
      free += lease.exclusiveBlocks;
      exclusive -= lease.exclusiveBlocks;
      lease.exclusiveBlocks = 0;
      for (const block of lease.chain) {
        policy.onAccess({ block: block.key, depth: block.depth, atNs });
        block.pins -= 1;
        if (block.pins > 0) continue;
        idle += 1;
        tellPolicy(block);
      }
    },

    countHits: (keys) => findHits(keys, keys.length).length,
    counts: () => ({ capacity: capacityBlocks, free, exclusive, pinned: shared.size - idle, idle }),
  };
}
