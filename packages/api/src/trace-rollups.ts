/**
 * What a trace's spans and calls say together: cost at every level, and what looks wrong.
 * Pure; no recursion, so depth and cycles of a broken trace can't hurt.
 */
import type { Decimal } from "@centspan/base";
import type { RatedCall, SpanSkeleton, StoredTrace } from "@centspan/model";

/** Cost of the distinct calls at and below each span; spans without a priced call below are absent. */
export function sumCostBySpan(spans: readonly SpanSkeleton[], calls: readonly RatedCall[]): Map<string, Decimal> {
  const parentOf = new Map(spans.filter((span) => !span.linked).map((span) => [span.spanId, span.parentSpanId]));
  const cost = new Map<string, Decimal>();
  for (const call of calls) {
    if (call.costUsd === null) continue;
    const seen = new Set<string>();
    for (let id = call.spanId; id !== "" && !seen.has(id); id = parentOf.get(id) ?? "") {
      seen.add(id);
      cost.set(id, cost.get(id)?.plus(call.costUsd) ?? call.costUsd);
    }
  }
  return cost;
}

type Anomaly = { spanId: string; kind: string; detail: string };

export function findAnomalies(stored: StoredTrace, calls: readonly RatedCall[]): Anomaly[] {
  const own = stored.spans.filter((span) => !span.linked);
  const ids = new Set(own.map((span) => span.spanId));
  const anomalies: Anomaly[] = [];
  for (const span of own) {
    if (span.parentSpanId !== "" && !ids.has(span.parentSpanId)) {
      anomalies.push({
        spanId: span.spanId,
        kind: "missing_parent",
        detail: `parent ${span.parentSpanId} has not arrived`,
      });
    }
    if (span.endedAtNs < span.startedAtNs) {
      anomalies.push({ spanId: span.spanId, kind: "unfinished", detail: "ends before it starts" });
    }
  }
  for (const spanId of findCycles(own)) anomalies.push({ spanId, kind: "cycle", detail: "is its own ancestor" });
  for (const spanId of stored.conflictingSpanIds) {
    anomalies.push({
      spanId,
      kind: "conflicting_content",
      detail: "arrived twice with different content; the first counts",
    });
  }
  for (const call of calls) {
    if (call.costStatus === "quarantined") {
      anomalies.push({ spanId: call.spanId, kind: "quarantined_usage", detail: call.quarantineReason });
    }
    if (call.costStatus === "unpriced") {
      anomalies.push({ spanId: call.spanId, kind: "unpriced", detail: `no price for ${call.provider} ${call.model}` });
    }
  }
  return anomalies;
}

/** Spans that lie on a parent cycle, self-parents included. */
function findCycles(spans: readonly SpanSkeleton[]): string[] {
  const parentOf = new Map(spans.map((span) => [span.spanId, span.parentSpanId]));
  const settled = new Set<string>();
  const onCycle: string[] = [];
  for (const span of spans) {
    const path: string[] = [];
    const place = new Map<string, number>();
    let id = span.spanId;
    while (parentOf.has(id) && !settled.has(id) && !place.has(id)) {
      place.set(id, path.length);
      path.push(id);
      id = parentOf.get(id) ?? "";
    }
    const start = place.get(id);
    if (start !== undefined) onCycle.push(...path.slice(start));
    for (const visited of path) settled.add(visited);
  }
  return onCycle;
}
