import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_expired",
  title: "Cache lifetime expired",
  describe: "The conversation was silent for longer than its cache lives, so the prompt was computed again.",
  remedy: "Ask for a longer cache lifetime where waits are long, or go on before it ends.",
  layer: "api",
  kind: "repeated",
  rank: 50,
  find: (run) => findMisses(run, "expired"),
});
