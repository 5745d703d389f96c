import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "lru-leaf",
  describe: "Least recently used among the ends of prefixes, the deepest first: what vLLM and SGLang do.",
  evicts: "leaves",
  create: () =>
    createRankedPolicy((a, b) => {
      if (a.usedNs !== b.usedNs) return a.usedNs < b.usedNs ? -1 : 1;
      return b.depth - a.depth || a.usedOrder - b.usedOrder;
    }),
});
