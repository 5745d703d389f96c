import { defineWasteCause, type SpanRecord } from "@centspan/model";
import { readCount, readText } from "../attributes.ts";
import { nameCalls } from "../name-calls.ts";
import { leaveOutBack, leaveOutFront } from "../repairs.ts";
import { findStandingResults } from "../standing-results.ts";

const LEAST_TOKENS = 256;
const MOST_NAMED = 20;

export default defineWasteCause({
  id: "repeated_tool",
  title: "Same tool call again",
  describe:
    "A tool was called again with the same input and gave the same result, which stood in the context already, and stood there twice from then on.",
  remedy: "Tell the agent to use what it has read; read files by range, and once.",
  layer: "harness",
  kind: "repeated",
  rank: 95,
  *find(run) {
    for (const { at, freshTokens, standingTokens, tools } of findStandingResults(run, openJudge)) {
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
  },
});

/** What a result weighs that was there before, word for word, as the answer to the same question. */
function openJudge() {
  const seen = new Set<string>();
  return ({ name, attributes }: SpanRecord): number => {
    const [input, output] = (["centspan.tool.input_hash", "centspan.tool.output_hash"] as const).map((hash) =>
      readText(attributes, hash),
    );
    if (!input || !output) return 0;
    const said = JSON.stringify([name, input, output]);
    const isAgain = seen.has(said);
    seen.add(said);
    return isAgain ? (readCount(attributes, "centspan.tool.output_bytes") ?? 0) : 0;
  };
}
