import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "history_resent",
  title: "History resent uncached",
  describe: "Every turn sent the history again and none of it was ever cached, so it was paid for in full each time.",
  remedy: "Turn on prompt caching for the key (marks where the provider wants them), or go on by previous_response_id.",
  layer: "harness",
  kind: "repeated",
  rank: 70,
  find: (run) => findMisses(run, "never_cached"),
});
