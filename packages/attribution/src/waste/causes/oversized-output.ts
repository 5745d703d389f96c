import { defineWasteCause, type SpanRecord, type WasteFinding, type WatchedRun } from "@centspan/model";
import { readCount, readText } from "../attributes.ts";
import { nameCalls } from "../name-calls.ts";
import { isOfHistory } from "../recorded-misses.ts";
import { leaveOutBack, leaveOutFront } from "../repairs.ts";
import { findStandingResults } from "../standing-results.ts";

/** Below that an output was hardly cut at all. */
const LEAST_TOKENS = 256;
/** Where outputs are cut by default: some 10,000 tokens. */
const MOST_BYTES = 40_000;
const MOST_NAMED = 20;

export default defineWasteCause({
  id: "oversized_output",
  title: "Oversized tool output",
  describe:
    "A tool's output of more than 10,000 tokens entered the context whole, and stood in every prompt from then on.",
  remedy: "Cut outputs at 10,000 tokens, head and tail, and let the model read the rest by range.",
  layer: "harness",
  kind: "repeated",
  rank: 90,
  *find(run) {
    for (const at of run.calls) {
      const tokens = isOfHistory(at) ? 0 : (readCount(at.attributes, "centspan.context.oversized_tokens") ?? 0);
      if (tokens < LEAST_TOKENS) continue;
      const before =
        at.before === null ? 0 : (readCount(at.before.attributes, "centspan.context.oversized_tokens") ?? 0);
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
    yield* findRecorded(run);
  },
});

/** By the sizes that a history has of results; how many tokens these are is an estimate. */
function* findRecorded(run: WatchedRun): Generator<WasteFinding> {
  for (const { at, freshTokens, standingTokens, tools } of findStandingResults(run, () => countExcess)) {
    const tokens = freshTokens + standingTokens;
    if (tokens < LEAST_TOKENS) continue;
    yield {
      at,
      repair: (left) => leaveOutFront(standingTokens)(leaveOutBack(freshTokens)(left)),
      seconds: 0,
      confidence: "likely",
      evidence: {
        section: "results",
        repeatedTokens: tokens,
        ...nameCalls(at),
        tools: tools.slice(0, MOST_NAMED).map(({ attributes }) => readText(attributes, "gen_ai.tool.name") ?? ""),
        spanIds: tools.slice(0, MOST_NAMED).map(({ spanId }) => spanId),
      },
    };
  }
}

function countExcess({ attributes }: SpanRecord): number {
  const bytes =
    readCount(attributes, "centspan.tool.sent_bytes") ?? readCount(attributes, "centspan.tool.output_bytes") ?? 0;
  return Math.max(0, bytes - MOST_BYTES);
}
