/**
 * A KV cache eviction policy: one small contract, one file each in packages/policies.
 * The cache owns what is resident, where, and what may go; the policy only ranks. Blocks are named by their slot, so that
 * a policy can keep what it knows in typed arrays. Pure state, no clock of its own.
 * Instants are whole nanoseconds since the start of whoever drives the cache.
 */

/** A block's chained hash; one cache sees one of the two kinds. */
export type KvBlockId = number | string;

/** The blocks of one cache by slot: read by its policy, kept up to date by the cache before it calls. */
export type KvBlocks = {
  readonly capacityBlocks: number;
  /** Slots are 0 … slotCount − 1. A slot serves the next block once its block has gone. */
  readonly slotCount: number;
  readonly keys: readonly KvBlockId[];
  /** Position of the block in its chain, 0 = first block of a prompt. */
  readonly depths: Uint32Array;
  /** 1 while the block may go: nobody uses it and, for policies that evict leaves, no resident block continues it. */
  readonly evictable: Uint8Array;
  /** When the block is used next, in the cache's own count of accesses; known offline only, else Infinity. */
  readonly nextUses: Float64Array;
};

export type KvPolicy = {
  /** A block became resident. It is held until `onRelease` says otherwise. */
  onInsert(slot: number, atNs: number): void;
  /** A request found the block. */
  onAccess(slot: number, atNs: number): void;
  /** The block may not go any longer. */
  onHold(slot: number): void;
  /** The block may go from now on. */
  onRelease(slot: number, atNs: number): void;
  /** The block went without being asked for as a victim. */
  onRemove(slot: number): void;
  /**
   * Picks an evictable block and forgets it: it goes. Called only when there is one. `incoming` is the block that needs
   * the place, null when it has no name yet.
   */
  takeVictim(atNs: number, incoming: KvBlockId | null): number;
};

export type KvPolicyPlugin = {
  id: string;
  describe: string;
  /** Leaves: a block goes only after all blocks that continue it. Any: its children stay behind until it is back. */
  evicts: "leaves" | "any";
  /** In which order the blocks of a chain that ends are released: matters to policies that count recency. */
  releases: "front-first" | "tail-first";
  create(blocks: KvBlocks): KvPolicy;
};
export const defineKvPolicy = (plugin: KvPolicyPlugin): KvPolicyPlugin => plugin;
