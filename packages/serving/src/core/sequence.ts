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
  /** Tokens whose keys and values are in the cache. While it decodes: as of `sinceRound`. */
  computedTokens: number;
  /** Likewise. */
  generatedTokens: number;
  /** Everything before the next token is computed: each round of decoding gives it one, or more with drafts. */
  isDecoding: boolean;
  /** What the step under way computes of its prompt, or a token and its drafts; 0 where the round says it all. */
  stepTokens: number;
  /** Tokens that its blocks have room for. */
  heldTokens: number;
  preemptions: number;
  /** While it decodes, kept by the decode clock: rounds at which something happens to it. */
  sinceRound: number;
  finishRound: number;
  publishRound: number;
  growRound: number;
  /** Its place among those whose blocks run out at the same round of a block's length. */
  growIndex: number;
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
  preemptions: 0,
  sinceRound: 0,
  finishRound: 0,
  publishRound: 0,
  growRound: 0,
  growIndex: 0,
});

/** Prompt and answer so far. */
export const countKnownTokens = (sequence: Sequence): number => sequence.promptTokens + sequence.generatedTokens;
