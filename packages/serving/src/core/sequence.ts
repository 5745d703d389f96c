/** A request on its way through a batch. Tokens are counted, never held. */
import type { KvLease } from "../kv-cache.ts";
import type { ServingRequest } from "../serving-types.ts";

export type Sequence = {
  readonly request: ServingRequest;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly isBatch: boolean;
  /** Null while it waits. */
  lease: KvLease | null;
  /** Tokens whose keys and values are in the cache. */
  computedTokens: number;
  generatedTokens: number;
  /** Everything before the next token is computed: each step gives it one, or more with drafts. */
  isDecoding: boolean;
  /** What the step under way computes of it: a chunk of the prompt, or a token and its drafts. */
  stepTokens: number;
  /** Tokens that its blocks have room for. */
  heldTokens: number;
  /** With so many tokens computed its next block is full and has a key to be shared under. */
  publishAtTokens: number;
  preemptions: number;
};

export const createSequence = (request: ServingRequest): Sequence => ({
  request,
  promptTokens: request.promptTokens,
  outputTokens: request.outputTokens,
  isBatch: request.priority === "batch",
  lease: null,
  computedTokens: 0,
  generatedTokens: 0,
  isDecoding: false,
  stepTokens: 0,
  heldTokens: 0,
  publishAtTokens: Number.POSITIVE_INFINITY,
  preemptions: 0,
});

/** Prompt and answer so far. */
export const countKnownTokens = (sequence: Sequence): number => sequence.promptTokens + sequence.generatedTokens;
