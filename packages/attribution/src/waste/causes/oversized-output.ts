import { defineWasteCause } from "@centspan/model";
import { readNumber } from "../attributes.ts";
import { leaveOutBack, leaveOutFront } from "../repairs.ts";

/** Below that an output was hardly cut at all. */
const LEAST_TOKENS = 256;

export default defineWasteCause({
  id: "oversized_output",
  title: "Oversized tool output",
  describe:
    "A tool's output of more than 10,000 tokens entered the context whole, and stood in every prompt from then on.",
  remedy: "Cut outputs at 10,000 tokens, head and tail, and let the model read the rest by range.",
  layer: "harness",
  kind: "repeated",
  rank: 90,
  *find({ calls }) {
    for (const at of calls) {
      const tokens = readNumber(at.attributes, "centspan.context.oversized_tokens") ?? 0;
      if (tokens < LEAST_TOKENS) continue;
      const before =
        at.before === null ? 0 : (readNumber(at.before.attributes, "centspan.context.oversized_tokens") ?? 0);
      const known = Math.min(before, tokens);
      yield {
        at,
        // What is new stands at the end of the prompt, what was there before in the cached part.
        repair: (left) => leaveOutFront(known)(leaveOutBack(tokens - known)(left)),
        seconds: 0,
        confidence: "certain",
        evidence: { section: "results", repeatedTokens: tokens },
      };
    }
  },
});
