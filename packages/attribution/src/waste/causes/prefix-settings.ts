import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_settings",
  title: "Prefix broken: model or settings switched",
  describe:
    "Model, effort, cache key, tier or format changed within a conversation, and the cache of the earlier request does not serve the later one.",
  remedy: "Keep model and settings for a whole thread; give work that needs others to a thread of its own.",
  layer: "harness",
  kind: "repeated",
  rank: 40,
  find: (run) => findMisses(run, "settings"),
});
