import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_resumed",
  title: "Resumed conversation computed again",
  describe:
    "A conversation was resumed or forked, and what it had said before was computed, or written to the cache, a second time.",
  remedy:
    "Go on while the cache lives; of a long conversation that has grown cold, begin a new one from a short summary instead of resuming it.",
  layer: "harness",
  kind: "repeated",
  rank: 55,
  find: (run) => findMisses(run, "resumed"),
});
