/** What a trace's spans and calls say together: cost at every level, and what looks wrong. Pure. */
import { type Decimal, sumDecimals } from "@centspan/base";
import { type Buckets, EMPTY_BUCKETS, type SpanSkeleton, type SpanSpend } from "@centspan/model";
import { MISSING, ROOT, type SpanTree } from "./span-tree.ts";

type Spend = Pick<SpanSpend, "spanId" | "costUsd">;

/**
 * Cost of the distinct calls at and below each span; spans without a priced call below are absent. Members of a cycle are
 * below each other. A call whose span has not arrived counts there alone.
 */
export function sumCostBySpan(tree: SpanTree, spends: readonly Spend[]): Map<string, Decimal> {
  const { spans, numberOf, parents, cycles } = tree;
  const cost = new Map<string, Decimal>();
  const totals: (Decimal | undefined)[] = new Array(spans.length).fill(undefined);
  for (const { spanId, costUsd } of spends) {
    if (costUsd === null) continue;
    const number = numberOf.get(spanId);
    if (number === undefined) cost.set(spanId, add(cost.get(spanId), costUsd));
    else totals[number] = add(totals[number], costUsd);
  }
  for (const number of listBottomUp(parents)) {
    const [total, parent] = [totals[number], parents[number] ?? ROOT];
    if (total !== undefined && parent >= 0) totals[parent] = add(totals[parent], total);
  }
  for (const cycle of cycles) {
    const known = cycle.flatMap((number) => totals[number] ?? []);
    if (known.length > 0) for (const number of cycle) totals[number] = sumDecimals(known);
  }
  for (const [number, { spanId }] of spans.entries()) {
    const total = totals[number];
    if (total !== undefined) cost.set(spanId, total);
  }
  return cost;
}

const add = (sum: Decimal | undefined, amount: Decimal): Decimal => sum?.plus(amount) ?? amount;

/** Children before their parents, members of cycles left out: each is there once all of its children are. */
function listBottomUp(parents: Int32Array): number[] {
  const waitsFor = new Int32Array(parents.length);
  for (const parent of parents) if (parent >= 0) waitsFor[parent] = (waitsFor[parent] ?? 0) + 1;
  const order: number[] = [];
  for (let number = 0; number < parents.length; number += 1) if (waitsFor[number] === 0) order.push(number);
  // It grows while it is walked.
  for (const number of order) {
    const parent = parents[number] ?? ROOT;
    if (parent < 0) continue;
    const left = (waitsFor[parent] ?? 0) - 1;
    waitsFor[parent] = left;
    if (left === 0) order.push(parent);
  }
  return order;
}

export function sumBuckets(spends: readonly SpanSpend[]): Buckets {
  const sum = { ...EMPTY_BUCKETS };
  for (const { buckets } of spends) {
    sum.input += buckets.input;
    sum.cacheRead += buckets.cacheRead;
    sum.cacheWrite5m += buckets.cacheWrite5m;
    sum.cacheWrite1h += buckets.cacheWrite1h;
    sum.outputText += buckets.outputText;
    sum.outputReasoning += buckets.outputReasoning;
    sum.webSearches += buckets.webSearches;
  }
  return sum;
}

type Anomaly = { spanId: string; kind: string; detail: string };

export const findAnomalies = (
  tree: SpanTree<SpanSkeleton>,
  conflictingSpanIds: readonly string[],
  spends: readonly SpanSpend[],
): Anomaly[] => [
  ...findBrokenSpans(tree),
  ...tree.cycles.flat().map((number) => ({
    spanId: tree.spans[number]?.spanId ?? "",
    kind: "cycle",
    detail: "is its own ancestor",
  })),
  ...conflictingSpanIds.map((spanId) => ({
    spanId,
    kind: "conflicting_content",
    detail: "arrived twice with different content; the first counts",
  })),
  ...spends.flatMap(describeUnknownCost),
];

function findBrokenSpans({ spans, parents }: SpanTree<SpanSkeleton>): Anomaly[] {
  const anomalies: Anomaly[] = [];
  for (const [number, { spanId, parentSpanId, startedAtNs, endedAtNs }] of spans.entries()) {
    if (parents[number] === MISSING) {
      anomalies.push({ spanId, kind: "missing_parent", detail: `parent ${parentSpanId} has not arrived` });
    }
    if (endedAtNs < startedAtNs) anomalies.push({ spanId, kind: "unfinished", detail: "ends before it starts" });
  }
  return anomalies;
}

function describeUnknownCost({ spanId, costStatus, quarantineReason, provider, model, calls }: SpanSpend): Anomaly[] {
  const several = calls === 1 ? "" : ` (${calls} calls)`;
  if (costStatus === "quarantined") {
    return [{ spanId, kind: "quarantined_usage", detail: `${quarantineReason}${several}` }];
  }
  if (costStatus === "unpriced") {
    return [{ spanId, kind: "unpriced", detail: `no price for ${provider} ${model}${several}` }];
  }
  return [];
}
