/** What engines say of requests, of their steps and of themselves. */
import type { AttributeDefinition } from "./attribute-definition.ts";

export const INFERENCE_ATTRIBUTES = {
  "centspan.replica.id": { type: "string", doc: "Engine replica" },
  "centspan.queue.depth": { type: "int", doc: "Requests waiting on arrival" },
  "centspan.kv.hit_blocks": { type: "int", doc: "Leading prompt blocks found in the cache" },
  "centspan.kv.miss_blocks": { type: "int", doc: "Prompt blocks not found" },
  "centspan.kv.expired_blocks": {
    type: "int",
    doc: "Of them, those that had been there for as long as the cache keeps any",
  },
  "centspan.kv.hit_tokens": { type: "int", unit: "token", doc: "Prompt tokens served from the cache" },
  "centspan.kv.block_tokens": { type: "int", unit: "token", doc: "Tokens in a block" },
  "centspan.kv.capacity_blocks": { type: "int", doc: "Blocks that the cache of the replica holds" },
  "centspan.engine.max_sequences": { type: "int", doc: "Sequences that may be in a batch" },
  "centspan.engine.token_budget": { type: "int", unit: "token", doc: "Tokens that a step may compute" },
  "centspan.engine.chunked_prefill": {
    type: "boolean",
    doc: "Whether prompts are computed in pieces beside decoding",
  },
  "centspan.engine.router": { type: "string", doc: "What chose the replica" },
  "centspan.engine.draft_tokens": { type: "string", doc: "Tokens proposed in a step, or auto" },
  "centspan.engine.request_id": {
    type: "string",
    doc: "The engine's own name of the request that the span is a part of",
  },
  "centspan.engine.priority": { type: "string", doc: "interactive or batch: whether a person waits" },
  "centspan.engine.thread": {
    type: "string",
    doc: "Run and thread whose requests come one after the other, each after the answer before it, where the client says so",
  },
  "centspan.prompt.tokens": { type: "int", unit: "token", doc: "Tokens of the prompt, found in a cache or not" },
  "centspan.prefix.block_keys": {
    type: "string",
    doc: "Chained hashes of the full blocks of a prompt, and of its answer where an engine says them, in base 36 with dots between, from the last block that was known to the end: one that is known stands for all before it",
  },
  "centspan.prefix.known_blocks": {
    type: "int",
    doc: "Leading blocks that were known; the last of them is the first of block_keys",
  },
  "centspan.kv.tier": { type: "string", doc: "device, host or disk" },
  "centspan.kv.policy": { type: "string", doc: "Eviction policy" },
  "centspan.kv.evicted_blocks": { type: "int", doc: "Blocks evicted" },
  "centspan.kv.evicted_again_prefilled": { type: "int", doc: "Evicted blocks that had to be prefilled again later" },
  "centspan.prefill.tokens": { type: "int", unit: "token", doc: "Tokens prefilled" },
  "centspan.prefill.chunks": { type: "int[]", unit: "token", doc: "Size of each chunk" },
  "centspan.decode.tokens": { type: "int", unit: "token", doc: "Tokens generated" },
  "centspan.decode.interference_ms": {
    type: "double",
    unit: "ms",
    doc: "What the steps that generated took longer for computing prompts in them, and steps in between for prompts alone, by the step-time model, before time scaling",
  },
  "centspan.decode.rejected_ms": {
    type: "double",
    unit: "ms",
    doc: "What they took longer for draft tokens that were rejected, likewise",
  },
  "centspan.step.number": { type: "int", doc: "Engine step, counted per replica" },
  "centspan.step.batch_size": { type: "int", doc: "Requests that decoded in the step" },
  "centspan.step.context_tokens": { type: "int", unit: "token", doc: "Sum of their contexts" },
  "centspan.step.prefill_tokens": { type: "int", unit: "token", doc: "Tokens prefilled in the same step" },
  "centspan.step.prefill_pairs": {
    type: "int",
    doc: "Pairs of tokens that attend to each other in the prompts of the step, where it computed any",
  },
  "centspan.step.time_ms": { type: "double", unit: "ms", doc: "Step time of the model, before time scaling" },
  "centspan.kv.transfer.from": { type: "string", doc: "Replica that keys and values came from" },
  "centspan.step.draft_model": { type: "string", doc: "Draft model that proposed tokens" },
  "centspan.step.draft_proposed": { type: "int", unit: "token", doc: "Draft tokens proposed" },
  "centspan.step.draft_accepted": { type: "int", unit: "token", doc: "Draft tokens accepted" },
  "centspan.step.draft_accepted_at": {
    type: "int[]",
    doc: "By position, the first one first: how often it was accepted",
  },
  "centspan.step.draft_rejected_at": { type: "int[]", doc: "By position: how often it was the first to be rejected" },
  "centspan.time_scale": { type: "double", doc: "Wall time ÷ model time of the engine" },
} as const satisfies Record<string, AttributeDefinition>;
