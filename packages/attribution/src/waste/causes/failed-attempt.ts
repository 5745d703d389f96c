import { defineWasteCause } from "@centspan/model";
import { leaveOutAll } from "../repairs.ts";

export default defineWasteCause({
  id: "failed_attempt",
  title: "Failed attempt",
  describe: "The outcome of the work failed: what it did not repeat was spent on nothing all the same.",
  remedy: "Look at what failing runs have in common; verify early, and stop an attempt that repeats its failures.",
  layer: "harness",
  kind: "failed",
  rank: 200,
  *find({ calls }) {
    for (const at of calls)
      if (at.outcome === "failed") yield { at, repair: leaveOutAll, seconds: 0, confidence: "certain", evidence: {} };
  },
});
