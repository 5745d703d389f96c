/**
 * A KV cache eviction policy: one small contract, one file each in packages/policies.
 * The cache owns what is resident and what may go; the policy only ranks. Pure state, no clock of its own.
 */
export type KvBlockId = number;

export type KvPolicyEvent = {
  block: KvBlockId;
  /** Position of the block in its chain, 0 = first block of a prompt. */
  depth: number;
  atNs: bigint;
};

export type KvPolicy = {
  /** A block became resident. It may not go until `setEvictable` says so. */
  onInsert(event: KvPolicyEvent): void;
  onAccess(event: KvPolicyEvent): void;
  onRemove(block: KvBlockId): void;
  /** Whether a resident block may go now: nobody uses it and, for policies that evict leaves, it has no children. */
  setEvictable(block: KvBlockId, evictable: boolean): void;
  /** The evictable block that should go next, null when there is none. Asking changes nothing. */
  chooseVictim(): KvBlockId | null;
};

export type KvPolicyPlugin = {
  id: string;
  describe: string;
  /** Leaves: a block goes only after all blocks that continue it. Any: its children stay behind until it is back. */
  evicts: "leaves" | "any";
  create(capacityBlocks: number): KvPolicy;
};
export const defineKvPolicy = (plugin: KvPolicyPlugin): KvPolicyPlugin => plugin;
