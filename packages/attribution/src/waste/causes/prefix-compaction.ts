import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_compaction",
  title: "Prefix broken: compaction",
  describe: "The history was summed up, and what is left of it was computed again.",
  remedy: "Compact once, late, and keep system text and tools in front as they were.",
  layer: "harness",
  kind: "repeated",
  rank: 60,
  find: (run) => findMisses(run, "compaction"),
});
