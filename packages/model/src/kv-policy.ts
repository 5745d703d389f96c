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
  /** 1 while the block may go: nobody uses it. */
  readonly evictable: Uint8Array;
  /** When the block is used next, in the cache's own count of accesses; known offline only, else Infinity. */
  readonly nextUses: Float64Array;
  /** Until when a released block is wanted, by the retention of whoever used it last; Infinity where none was set. */
  readonly expiresNs: Float64Array;
};

/** What a thread waits for after an answer: a tool it called, a person, or nobody knows. */
export type KvWait = "tool" | "person" | "unknown";

/**
 * What an agent's loop tells about one of its threads: the main line of a run, or a sub-agent. Each request of a thread
 * extends the chain of the one before it, as a rule. `chain` names the slots of the thread's blocks from now on, front to
 * back. Thread ids are unique within their run.
 */
export type KvThreadEvent = { runId: string | number; threadId: string | number; atNs: number } & (
  | { kind: "requested"; chain?: readonly number[] }
  | { kind: "waiting"; waitsFor: KvWait; chain?: readonly number[] }
  /** Somebody knows that the wait will last about that long. */
  | { kind: "long_wait"; expectedNs: number }
  /** The thread has ended, or the sub-agent returned: no request of it will follow. */
  | { kind: "ended" }
  /** All threads of the run have ended, whichever is named. */
  | { kind: "run_ended" }
);

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
  /** Only for policies that know agents. */
  onThread?(event: KvThreadEvent): void;
};

export type KvPolicyPlugin = {
  id: string;
  describe: string;
  /**
   * In which order the blocks of a chain that ends are released. Tail first, a policy that orders by recency evicts ends
   * of chains only, since whoever uses a block uses all blocks before it.
   */
  releases: "front-first" | "tail-first";
  create(blocks: KvBlocks): KvPolicy;
};
export const defineKvPolicy = (plugin: KvPolicyPlugin): KvPolicyPlugin => plugin;
