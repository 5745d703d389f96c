import { defineWasteCause, type WatchedCall } from "@centspan/model";
import { readCount, secondsOf } from "../attributes.ts";
import { nameCalls } from "../name-calls.ts";
import { leaveOutAll, leaveOutAnswer, leaveOutPrompt } from "../repairs.ts";
import { isAborted, isCounted, isRetryOf } from "../retries.ts";

export default defineWasteCause({
  id: "retry",
  title: "Retry",
  describe:
    "The same request was made again: its prompt was paid for twice, and so was its answer where the first one was whole.",
  remedy:
    "Send an Idempotency-Key, so that a finished answer is given again unbilled, and wait longer before asking again.",
  layer: "api",
  kind: "repeated",
  rank: 180,
  *find({ calls }) {
    for (const at of calls) {
      const earlier = at.before !== null && isRetryOf(at, at.before) && !isCounted(at.before) ? at.before : null;
      const isLost = at.failed && calls.some((later) => later.before === at && isRetryOf(later, at));
      const failedBefore = listFailedBefore(at);
      if (earlier === null && !isLost && failedBefore.length === 0) continue;
      const isWhole = earlier !== null && !earlier.failed && !isAborted(earlier);
      yield {
        at,
        repair: isWhole
          ? leaveOutAll
          : (left) => {
              const asked = earlier === null ? left : leaveOutPrompt(left);
              return isLost ? leaveOutAnswer(asked) : asked;
            },
        seconds: isWhole
          ? Number(at.call.durationNs) / 1e9
          : failedBefore.reduce((sum, span) => sum + secondsOf(span), 0),
        confidence: "certain",
        evidence: {
          ...(earlier && nameCalls(at, earlier)),
          ...(failedBefore.length > 0 && { spanIds: failedBefore.map(({ spanId }) => spanId) }),
        },
      };
    }
  },
});

/** Attempts at another server that failed before this one, whether or not they cost anything. */
const listFailedBefore = (at: WatchedCall) =>
  (readCount(at.attributes, "centspan.retry.ordinal") ?? 0) === 0
    ? []
    : at.siblings.filter(
        ({ attributes, status, startedAtNs }) =>
          attributes["gen_ai.operation.name"] === "chat" && status === "error" && startedAtNs < at.call.atNs,
      );
