/** After the LengthAwareCache of Mooncake (Qin et al., FAST'25): blocks that come late in a prompt serve few others. */
import { defineKvPolicy } from "@centspan/model";
import { createRankedPolicy } from "../ranked-policy.ts";

export default defineKvPolicy({
  id: "length-aware",
  describe: "The block furthest from the front of its prompt, ties by least recent use: keeps what many may share.",
  releases: "tail-first",
  create: (blocks) => createRankedPolicy(blocks, { rank: (slot) => -(blocks.depths[slot] ?? 0) }),
});
