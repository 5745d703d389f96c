/**
 * The tiers below the device: host memory, then disk. They hold copies of full blocks that no request uses in place.
 * Exclusive: a block is in one tier; what a tier evicts goes down to the next, what is read comes up and leaves. Write
 * through: every block is written to the first lower tier when it is computed and stays when it is read; what is evicted
 * above needs no writing.
 */
import { assert } from "@centspan/base";
import type { KvBlockId, KvPolicyPlugin } from "@centspan/model";
import { createTier } from "./kv-tier.ts";

export type LowerTierConfig = {
  name: string;
  capacityBlocks: number;
  policy: KvPolicyPlugin;
  /** To bring blocks to the device: once per read, and for each block. */
  readLatencyNs: number;
  readBlockNs: number;
};
export type TierMode = "exclusive" | "write-through";

/** A block on its way between tiers. */
export type TierBlock = { key: KvBlockId; depth: number; expiresNs: number };
export type TierRead = { tier: string; blocks: number };
export type TierCounts = { name: string; capacity: number; blocks: number; readBlocks: number; writtenBlocks: number };

export type LowerTiers = {
  readonly mode: TierMode;
  has(key: KvBlockId, atNs: number): boolean;
  /** Reads blocks that `has` found, front to back: out of their tier when exclusive. */
  read(keys: readonly KvBlockId[], atNs: number): { reads: TierRead[]; transferNs: number };
  /** Writes a block to the first lower tier; what has no room there sinks further, and off the last. */
  write(block: TierBlock, atNs: number): void;
  /** The device holds the block from now on: an exclusive copy elsewhere is dropped. */
  forget(key: KvBlockId): void;
  counts(): TierCounts[];
};

export function createLowerTiers(configs: readonly LowerTierConfig[], mode: TierMode): LowerTiers {
  const levels = configs.map((config) => ({
    ...config,
    tier: createTier(config.capacityBlocks, config.policy),
    readBlocks: 0,
    writtenBlocks: 0,
  }));
  type Level = (typeof levels)[number];

  const findIn = (key: KvBlockId): { level: Level; slot: number } | null => {
    for (const level of levels) {
      const slot = level.tier.find(key);
      if (slot >= 0) return { level, slot };
    }
    return null;
  };
  const find = (key: KvBlockId, atNs: number): { level: Level; slot: number } | null => {
    for (let found = findIn(key); found; found = findIn(key)) {
      if (!found.level.tier.hasExpired(found.slot, atNs)) return found;
      found.level.tier.remove(found.slot);
    }
    return null;
  };
  const sink = (block: TierBlock, at: number, atNs: number): void => {
    const level = levels[at];
    if (!level || block.expiresNs <= atNs) return;
    const { tier, capacityBlocks } = level;
    const known = tier.find(block.key);
    if (known >= 0) {
      // A copy is here already: it counts as used, and is wanted for as long as the new one.
      tier.pin(known, atNs);
      tier.unpin([known], atNs, block.expiresNs);
      return;
    }
    if (tier.size() === capacityBlocks) {
      const slot = tier.evict(atNs, block.key);
      sink({ key: tier.keyOf(slot), depth: tier.depthOf(slot), expiresNs: tier.expiryOf(slot) }, at + 1, atNs);
    }
    tier.unpin([tier.insert(block.key, block.depth, atNs)], atNs, block.expiresNs);
    level.writtenBlocks += 1;
  };

  return {
    mode,
    has: (key, atNs) => find(key, atNs) !== null,
    read(keys, atNs) {
      const blocksOf = new Map<Level, number>();
      for (const key of keys) {
        const found = find(key, atNs);
        assert(found, "only blocks that were found are read");
        const { level, slot } = found;
        level.readBlocks += 1;
        blocksOf.set(level, (blocksOf.get(level) ?? 0) + 1);
        if (mode === "exclusive") level.tier.remove(slot);
        else level.tier.touch(slot, atNs);
      }
      let transferNs = 0;
      for (const [level, blocks] of blocksOf) transferNs += level.readLatencyNs + blocks * level.readBlockNs;
      return { reads: [...blocksOf].map(([level, blocks]) => ({ tier: level.name, blocks })), transferNs };
    },
    write: (block, atNs) => sink(block, 0, atNs),
    forget(key) {
      const found = findIn(key);
      if (found && mode === "exclusive") found.level.tier.remove(found.slot);
    },
    counts: () =>
      levels.map(({ name, capacityBlocks, tier, readBlocks, writtenBlocks }) => ({
        name,
        capacity: capacityBlocks,
        blocks: tier.size(),
        readBlocks,
        writtenBlocks,
      })),
  };
}
