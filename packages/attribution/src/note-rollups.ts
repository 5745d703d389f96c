/** What parents' sums say beside the calls below them: a hint where they disagree, never a charge. */
import type { Call } from "@centspan/model";
import { outputTokens, promptTokens } from "./claim.ts";
import type { UsageReport } from "./read-call-facts.ts";
import type { SpanForest } from "./span-forest.ts";

export type RollupNote = {
  kind: "rollup";
  traceId: string;
  spanId: string;
  flags: ("child_without_usage" | "rollup_mismatch")[];
  /** Where a call below has no usage: what the parent counted more than the others used. */
  remainder: { promptTokens: number; outputTokens: number } | null;
};

type Sum = { prompt: number; output: number; unknown: number };

/** Only of parents with something to note. */
export function noteRollups(forest: SpanForest, rollups: readonly UsageReport[], calls: readonly Call[]): RollupNote[] {
  const below = new Map(rollups.map(({ span }) => [span, { prompt: 0, output: 0, unknown: 0 } satisfies Sum]));
  for (const call of calls) {
    const span = forest.find(call.traceId, call.spanId);
    if (!span) continue;
    for (const ancestor of forest.ancestors(span)) {
      const sum = below.get(ancestor);
      if (!sum) continue;
      sum.prompt += promptTokens(call.buckets);
      sum.output += outputTokens(call.buckets);
      if (call.quarantineReason !== "") sum.unknown += 1;
    }
  }
  return rollups.flatMap(({ span, reading }): RollupNote[] => {
    const sum = below.get(span);
    if (!sum || reading.quarantineReason !== "") return [];
    const remainder = {
      promptTokens: promptTokens(reading.buckets) - sum.prompt,
      outputTokens: outputTokens(reading.buckets) - sum.output,
    };
    const differs = remainder.promptTokens !== 0 || remainder.outputTokens !== 0;
    const flags: RollupNote["flags"] = [
      ...(sum.unknown > 0 ? (["child_without_usage"] as const) : []),
      ...(differs ? (["rollup_mismatch"] as const) : []),
    ];
    if (flags.length === 0) return [];
    const { traceId, spanId } = span;
    return [{ kind: "rollup", traceId, spanId, flags, remainder: flags.length === 2 ? remainder : null }];
  });
}
