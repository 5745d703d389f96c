import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_system",
  title: "Prefix broken: system text",
  describe: "The system text changed within a conversation, so the whole prompt behind the change was computed again.",
  remedy:
    "Keep what changes, such as the time, out of the system text: say it in the last message or as a tool result.",
  layer: "harness",
  kind: "repeated",
  rank: 20,
  find: (run) => findMisses(run, "system"),
});
