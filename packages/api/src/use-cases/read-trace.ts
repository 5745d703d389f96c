import { CentspanError, type Decimal, formatDecimal, formatInstant } from "@centspan/base";
import { may, type SpanRow, type SpanSkeleton, traceDetailSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toCallRow, toTraceRow } from "../rows.ts";
import { buildSpanTree } from "../span-tree.ts";
import { findAnomalies, sumBuckets, sumCostBySpan } from "../trace-rollups.ts";

/** As many calls are listed with a trace. Costs, tokens and counts are of all of them. */
const CALLS_LISTED = 1000;

export const readTrace = defineRoute({
  id: "readTrace",
  method: "GET",
  path: "/traces/{traceId}",
  summary:
    "One run: its spans without attributes, cost rollups, calls and anomalies; engine steps resolved through links. " +
    `Of more than ${CALLS_LISTED} calls the newest are listed, and the anomaly calls_cut says so; /calls has all of them.`,
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: traceDetailSchema,
  async run({ deps: { warehouse }, caller: { workspace, principal }, params: { traceId = "" } }) {
    const [stored, head, spends, calls, waste, works] = await Promise.all([
      warehouse.readTrace(workspace, traceId),
      warehouse.readTraceHead(workspace, traceId),
      warehouse.sumTraceCalls(workspace, traceId),
      warehouse.listCalls(workspace, { traceId }, { limit: CALLS_LISTED, cursor: null }),
      warehouse.sumTraceWaste(workspace, [traceId]),
      warehouse.readWorkOfTraces(workspace, [traceId]),
    ]);
    if (head === null) throw new CentspanError("not_found", `trace ${traceId}: not in this workspace`);
    const tree = buildSpanTree(stored.spans);
    const anomalies = findAnomalies(tree, stored.conflictingSpanIds, spends);
    if (calls.nextCursor !== null) {
      const all = spends.reduce((sum, spend) => sum + spend.calls, 0);
      const detail = `the ${CALLS_LISTED} newest of ${all} calls are listed; costs, tokens and counts are of all`;
      anomalies.push({ spanId: "", kind: "calls_cut", detail });
    }
    const cost = sumCostBySpan(tree, spends);
    return {
      trace: toTraceRow(head, {
        anomalies: [...new Set(anomalies.map(({ kind }) => kind))],
        wasteUsd: waste.get(traceId) ?? null,
        work: works.get(traceId),
        showsContent: may(principal, "content.read"),
      }),
      buckets: sumBuckets(spends),
      spans: stored.spans.map((span) => toSpanRow(span, span.linked ? undefined : cost.get(span.spanId))),
      calls: calls.data.map(toCallRow),
      anomalies,
    };
  },
});

/** Member by member: of a hundred thousand spans, taking the others over by a rest is most of the time. */
export const toSpanRow = (span: SpanSkeleton, costUsd: Decimal | undefined): SpanRow => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  name: span.name,
  service: span.service,
  layer: span.layer,
  startedAt: formatInstant(span.startedAtNs),
  durationNs: (span.endedAtNs - span.startedAtNs).toString(),
  status: span.status,
  facts: span.facts,
  linked: span.linked,
  links: span.links,
  costUsd: costUsd === undefined ? null : formatDecimal(costUsd),
});
