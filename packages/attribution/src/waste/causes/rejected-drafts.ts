import { defineWasteCause } from "@centspan/model";
import { findDecodeLoss } from "../decode-loss.ts";

export default defineWasteCause({
  id: "rejected_drafts",
  title: "Rejected draft tokens",
  describe: "Steps proposed and checked draft tokens that were rejected, which took longer than steps without them.",
  remedy: "Propose fewer tokens at this load, or use a draft model that is accepted more often.",
  layer: "inference",
  kind: "repeated",
  rank: 160,
  find: (run) => findDecodeLoss(run, "centspan.decode.rejected_ms"),
});
