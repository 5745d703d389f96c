import { CentspanError, formatDecimal, formatInstant } from "@centspan/base";
import { type RatedCall, type SpanSkeleton, traceDetailSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toCallRow, toTraceRow } from "../rows.ts";
import { findAnomalies, sumCostBySpan } from "../trace-rollups.ts";

/** A trace has at most this many calls in one answer; more is a sign of a shared trace, and said as an anomaly. */
const CALLS_MAX = 10_000;

export const readTrace = defineRoute({
  id: "readTrace",
  method: "GET",
  path: "/traces/{traceId}",
  summary:
    "One run: its spans without attributes, cost rollups, calls and anomalies; engine steps resolved through links",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.undefined(),
  answer: traceDetailSchema,
  async run({ deps, caller, params: { traceId = "" } }) {
    const filter = { traceId };
    const [stored, summaries, calls] = await Promise.all([
      deps.warehouse.readTrace(caller.workspace, traceId),
      deps.warehouse.listTraces(caller.workspace, filter, { limit: 1, cursor: null }),
      listAllCalls(),
    ]);
    const summary = summaries.data[0];
    if (summary === undefined) throw new CentspanError("not_found", `trace ${traceId}: not in this workspace`);
    const anomalies = findAnomalies(stored, calls);
    const cost = sumCostBySpan(stored.spans, calls);
    return {
      trace: toTraceRow(summary, [...new Set(anomalies.map((anomaly) => anomaly.kind))]),
      spans: stored.spans.map((span) => toSpanRow(span, cost.get(span.spanId) ?? null)),
      calls: calls.map(toCallRow),
      anomalies,
    };

    async function listAllCalls(): Promise<RatedCall[]> {
      const all: RatedCall[] = [];
      let cursor: string | null = null;
      do {
        const page = await deps.warehouse.listCalls(caller.workspace, filter, { limit: 1000, cursor });
        all.push(...page.data);
        cursor = page.nextCursor;
      } while (cursor !== null && all.length < CALLS_MAX);
      return all;
    }
  },
});

function toSpanRow(span: SpanSkeleton, costUsd: Parameters<typeof formatDecimal>[0] | null) {
  const { startedAtNs, endedAtNs, ...same } = span;
  return {
    ...same,
    startedAt: formatInstant(startedAtNs),
    durationNs: (endedAtNs - startedAtNs).toString(),
    costUsd: costUsd === null ? null : formatDecimal(costUsd),
  };
}
