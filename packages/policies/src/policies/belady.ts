/**
 * The offline optimum (Belady, IBM Systems Journal 5, 1966): no policy hits more often. It needs to be told when each
 * block is used next, which only a replay can; without, it can't tell blocks apart and evicts the deepest.
 */
import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "belady",
  describe: "The offline optimum: the block that is needed again last. For replays, which know the future.",
  releases: "tail-first",
  create: (blocks) => createRankedPolicy(blocks, { rank: (slot) => -(blocks.nextUses[slot] ?? 0) }),
});
