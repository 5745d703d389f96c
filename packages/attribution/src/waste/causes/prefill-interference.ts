import { defineWasteCause } from "@centspan/model";
import { findDecodeLoss } from "../decode-loss.ts";

export default defineWasteCause({
  id: "prefill_interference",
  title: "Prefill–decode interference",
  describe: "Steps that gave this answer tokens also computed prompts of others, and took longer for it.",
  remedy: "Smaller chunks of prefill, or replicas of their own for prefill.",
  layer: "inference",
  kind: "repeated",
  rank: 170,
  find: (run) => findDecodeLoss(run, "centspan.decode.interference_ms"),
});
