/**
 * What engines do. A chain is released from its tail, and whoever uses a block uses all blocks before it: so the oldest
 * block is always the end of a resident chain, and no tree is needed to find it.
 */
import { defineKvPolicy } from "@centspan/model";
import { createRecencyPolicy } from "../recency-policy.ts";

export default defineKvPolicy({
  id: "lru-leaf",
  describe: "Least recently used among the ends of prefixes, the deepest first: what vLLM and SGLang do.",
  releases: "tail-first",
  create: createRecencyPolicy,
});
