import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_history",
  title: "Prefix broken: history rewritten",
  describe: "An earlier message or result was changed, dropped or moved, so all that follows it was computed again.",
  remedy: "Only append to the history; cut long outputs when they enter it, not later.",
  layer: "harness",
  kind: "repeated",
  rank: 30,
  find: (run) => findMisses(run, "history"),
});
