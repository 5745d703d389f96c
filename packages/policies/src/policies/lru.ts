import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "lru",
  describe: "Least recently used, whatever its place in a prompt: the textbook policy, for comparison.",
  evicts: "any",
  create: () => createRankedPolicy((a, b) => a.usedOrder - b.usedOrder),
});
