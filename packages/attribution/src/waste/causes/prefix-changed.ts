import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_changed",
  title: "Prefix broken, probably changed",
  describe:
    "The cache should still have held the conversation and was not read: no history says why, so probably something in front of the prompt changed, such as tools or instructions.",
  remedy:
    "Keep tools, MCP servers and instruction files as they are for a whole session; send such sessions through the gateway to see the place where the prompt differs.",
  layer: "harness",
  kind: "repeated",
  rank: 65,
  find: (run) => findMisses(run, "changed"),
});
