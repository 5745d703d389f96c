/**
 * What goes into the serving core and what comes out of it. Instants and
 * durations are whole nanoseconds since the core's own start, exact below 2^53 (104 days).
 */
import type { KvBlockId, KvPolicyPlugin, KvWait, PRIORITIES, ReplicaView } from "@centspan/model";
import type { BlockCounts } from "./block-counts.ts";
import type { KvCache, KvCacheOptions, KvThreadId } from "./kv-cache.ts";
import type { TierRead } from "./lower-tiers.ts";
import type { Speculation } from "./speculative/drafting.ts";
import type { StepTimeModel } from "./step-time.ts";

export type ServingConfig = {
  blockTokens: number;
  /** KV blocks that fit in memory. */
  capacityBlocks: number;
  /** Sequences that may be in a batch. */
  maxSequences: number;
  /** Tokens that one step may compute, decode and prefill together. */
  tokenBudget: number;
  /** Long prompts are computed in pieces beside decoding (the default), or whole, in steps in which nobody decodes. */
  chunkedPrefill?: boolean;
};

export type ServingOptions = {
  config: ServingConfig;
  policy: KvPolicyPlugin;
  stepTime: StepTimeModel;
  /** Lower tiers of the cache, and how long blocks are kept. */
  tiers?: Pick<KvCacheOptions, "lowerTiers" | "tierMode" | "retentionNs">;
  speculation?: Speculation;
  /** Decides which drafted tokens are accepted. */
  seed?: number;
};

/** What may change while a core runs. `speculation: null` drafts no longer. */
export type ServingChange = Partial<Pick<ServingConfig, "maxSequences" | "tokenBudget" | "chunkedPrefill">> & {
  policy?: KvPolicyPlugin;
  speculation?: Speculation | null;
};

/** Whether a person waits for the answer. Batch work gives way to people. */
export type Priority = (typeof PRIORITIES)[number];

export type ServingRequest = {
  id: string;
  arrivalNs: number;
  promptTokens: number;
  outputTokens: number;
  /**
   * Chained hashes of the full blocks of prompt and planned output, first block first. Blocks beyond the list are
   * computed and never shared.
   */
  blockKeys: readonly KvBlockId[];
  /** Interactive when not said. */
  priority?: Priority;
  /** Leading tokens whose keys and values come with the request, computed by another replica. */
  importedTokens?: number;
  /** Whose request it is, and what its thread does once it is answered, where the agent's loop tells. */
  thread?: KvThreadId;
  waitsFor?: KvWait;
  /** How long its blocks are wanted, where that differs from the cache's own retention. */
  retentionNs?: number;
};

/** A request got its place in the batch. Again after a preemption, then with `recomputed`. */
export type Admission = {
  id: string;
  hitBlocks: number;
  missBlocks: number;
  /** Of the misses, those that had been there for as long as the cache keeps any. */
  expiredBlocks: number;
  hitTokens: number;
  recomputed: boolean;
  /** Hit blocks that came from lower tiers, and how long the step waits for them. */
  reads: readonly TierRead[];
  transferNs: number;
};

/** `draftTokens` were proposed for it: towards its end fewer than for others. */
export type StepDecode = { id: string; contextTokens: number; draftTokens: number };
export type StepPrefill = { id: string; startToken: number; tokens: number };

export type Step = {
  /** Counted from 1. */
  number: number;
  startNs: number;
  /** By the step-time model, at full speed. */
  durationNs: number;
  stepTimeMs: number;
  decodes: StepDecode[];
  prefills: StepPrefill[];
  admitted: Admission[];
  /** Requests that lost their blocks and wait again; they will recompute. */
  preempted: string[];
  evicted: KvBlockId[];
  decodeContextTokens: number;
  prefillTokens: number;
  /** Pairs of tokens that attend to each other in its prompts. */
  prefillAttentionPairs: number;
  /** Of the step's time, what it took longer for computing prompts beside decoding, and for draft tokens. */
  prefillMs: number;
  draftMs: number;
  /** The draft model that proposed tokens, and how many in all. */
  draftModel: string | null;
  draftedTokens: number;
};

/** A token's index counts from 0 within the request's output. */
export type ServingEvent =
  | { type: "token"; id: string; index: number; atNs: number }
  | { type: "finished"; id: string; atNs: number };

/** What was computed since the start. */
export type WorkTotals = {
  steps: number;
  busyNs: number;
  prefillTokens: number;
  /** Of those, computed for a sequence that had to give way before. */
  recomputedTokens: number;
  preemptions: number;
  draftedTokens: number;
  acceptedTokens: number;
  /** Most sequences that decoded in one step. */
  largestBatch: number;
};

export type ServingState = { waiting: number; running: number; blocks: BlockCounts };

export type ServingCore = {
  /** Queues a request. Throws `invalid_request` when it could never fit. */
  submit(request: ServingRequest): void;
  /** Forgets a request and gives its blocks back; whether it was there. */
  cancel(id: string, atNs: number): boolean;
  /** Forms the next batch from what has arrived by `nowNs`; null when there is nothing to do yet. */
  nextStep(nowNs: number): Step | null;
  /** The step formed last is done, at `endNs`. */
  completeStep(endNs: number): ServingEvent[];
  /** When the first waiting request arrives; null when none waits. */
  nextArrivalNs(): number | null;
  /** What a router may ask of a replica of this speed. */
  view(speed: number): ReplicaView;
  /**
   * Takes effect with the next step; who runs goes on, even where a smaller batch would not have let everybody in. Throws
   * `invalid_request` naming the field, and then changes nothing.
   */
  configure(change: ServingChange): void;
  /** What an agent's loop knows beyond its requests. */
  hint: KvCache["hint"];
  state(): ServingState;
  totals(): WorkTotals;
};
