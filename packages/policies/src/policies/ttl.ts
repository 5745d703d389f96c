import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "ttl",
  describe: "The block whose retention ends first, ties by least recent use: who asked for longer keeps longer.",
  releases: "tail-first",
  create: (blocks) => createRankedPolicy(blocks, { rank: (slot) => blocks.expiresNs[slot] ?? 0 }),
});
