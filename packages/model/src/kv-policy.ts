/**
 * A KV cache eviction policy: one small contract, one file each in packages/policies.
 * The cache tells the policy what happens; the policy only ranks what may go. Pure state, no clock of its own.
 */
export type KvBlockId = number;

export type KvPolicyEvent = {
  block: KvBlockId;
  /** Position of the block in its chain, 0 = first block of a prompt. */
  depth: number;
  atNs: bigint;
};

export type KvPolicy = {
  onInsert(event: KvPolicyEvent): void;
  onAccess(event: KvPolicyEvent): void;
  onRemove(block: KvBlockId): void;
  /** The block that should go next among those for which `evictable` is true; null when there is none. */
  chooseVictim(evictable: (block: KvBlockId) => boolean): KvBlockId | null;
};

export type KvPolicyPlugin = { id: string; describe: string; create(capacityBlocks: number): KvPolicy };
export const defineKvPolicy = (plugin: KvPolicyPlugin): KvPolicyPlugin => plugin;
