import { defineWasteCause, type WasteFinding, type WatchedCall, type WatchedRun } from "@centspan/model";
import { groupBy } from "../../group-by.ts";
import { readCounts, readList, readText } from "../attributes.ts";
import { leaveOutFront } from "../repairs.ts";

/** A few tools at hand cost less than to look for them. */
const LEAST_TOKENS = 1_000;
const MOST_NAMED = 20;

export default defineWasteCause({
  id: "unused_tools",
  title: "Unused tool schemas",
  describe: "Schemas of tools that the whole conversation never called stood in every prompt.",
  remedy: "Defer tools that are rarely called: let the model find them by tool_search, and compact their schemas.",
  layer: "harness",
  kind: "repeated",
  rank: 80,
  *find(run) {
    for (const calls of groupBy(run.calls, ({ thread }) => thread).values()) yield* findUnused(calls, run);
  },
});

function* findUnused(calls: readonly WatchedCall[], run: WatchedRun): Generator<WasteFinding> {
  const used = new Set(calls.flatMap(({ attributes }) => readList(attributes, "centspan.tools.used") ?? []));
  for (const { tools, calls: asked } of run.turns)
    if (asked.some((call) => calls.includes(call)))
      for (const { attributes } of tools) used.add(readText(attributes, "gen_ai.tool.name") ?? "");
  let unused: Offered[] = [];
  for (const at of calls) {
    // Told where they change; in between they are as they were.
    const offered = readOffered(at);
    if (offered !== null) unused = offered.filter(({ name }) => !used.has(name)).sort((a, b) => b.tokens - a.tokens);
    const tokens = unused.reduce((sum, tool) => sum + tool.tokens, 0);
    if (tokens < LEAST_TOKENS) continue;
    yield {
      at,
      repair: leaveOutFront(tokens),
      seconds: 0,
      confidence: "certain",
      evidence: {
        section: "tools",
        repeatedTokens: tokens,
        tools: unused.slice(0, MOST_NAMED).map(({ name }) => name),
      },
    };
  }
}

type Offered = { name: string; tokens: number };

function readOffered({ attributes }: WatchedCall): Offered[] | null {
  const names = readList(attributes, "centspan.tools.offered");
  const tokens = readCounts(attributes, "centspan.tools.offered_tokens");
  return names && tokens && names.map((name, index) => ({ name, tokens: tokens[index] ?? 0 }));
}
