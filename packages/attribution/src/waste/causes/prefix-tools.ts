import { defineWasteCause } from "@centspan/model";
import { findMisses } from "../missed-tokens.ts";

export default defineWasteCause({
  id: "prefix_tools",
  title: "Prefix broken: tools",
  describe:
    "Tools came in another order, with other members, or with their JSON written otherwise, so all that follows them in the prompt was computed again.",
  remedy: "Send the same tools in one fixed order, as the same bytes in every turn; find the others by tool_search.",
  layer: "harness",
  kind: "repeated",
  rank: 10,
  find: (run) => findMisses(run, "tools"),
});
