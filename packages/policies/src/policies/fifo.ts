import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "fifo",
  describe: "First in, first out: the block that has been resident longest, used since or not.",
  releases: "tail-first",
  create: (blocks) => createRankedPolicy(blocks, { rank: () => 0, tiesByInsertion: true }),
});
