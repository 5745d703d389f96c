import { defineWasteCause } from "@centspan/model";
import { leaveOutAll, leaveOutAnswer } from "../repairs.ts";
import { isAborted, isCounted, isRetryOf } from "../retries.ts";

export default defineWasteCause({
  id: "aborted_stream",
  title: "Aborted stream",
  describe:
    "The client left before the answer was whole: what was generated is lost, and all of the call where nobody asked again.",
  remedy: "Let clients wait longer than the slowest answer, and resume a stream in place of asking again.",
  layer: "api",
  kind: "repeated",
  rank: 190,
  *find({ calls }) {
    for (const at of calls.filter(isAborted)) {
      const again = calls.find((later) => later.before === at && isRetryOf(later, at));
      yield {
        at,
        repair: (left) => {
          if (again === undefined) return leaveOutAll(left);
          if (!isCounted(at)) return leaveOutAnswer(left);
          // What the next one found in the cache of it was not lost.
          const found = again.call.buckets.cacheRead - (at.before?.promptTokens ?? 0);
          return { ...leaveOutAll(left), input: Math.min(left.input, Math.max(0, found)) };
        },
        seconds: Number(at.call.durationNs) / 1e9,
        confidence: "certain",
        evidence: again ? { spanIds: [again.call.spanId] } : {},
      };
    }
  },
});
