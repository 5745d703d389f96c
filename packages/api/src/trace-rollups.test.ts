import { type Decimal, parseDecimal } from "@centspan/base";
import { EMPTY_BUCKETS, type SpanSkeleton, type SpanSpend } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildSpanTree } from "./span-tree.ts";
import { findAnomalies, sumBuckets, sumCostBySpan } from "./trace-rollups.ts";

const span = (spanId: string, parentSpanId: string, more: Partial<SpanSkeleton> = {}): SpanSkeleton => ({
  traceId: "t",
  spanId,
  parentSpanId,
  name: spanId,
  service: "s",
  startedAtNs: 0n,
  endedAtNs: 1n,
  status: "unset",
  layer: "other",
  facts: {},
  links: [],
  linked: false,
  ...more,
});

const spend = (spanId: string, costUsd: string | null, more: Partial<SpanSpend> = {}): SpanSpend => ({
  spanId,
  provider: "p",
  model: "m",
  costStatus: costUsd === null ? "unpriced" : "rated",
  quarantineReason: "",
  calls: 1,
  buckets: EMPTY_BUCKETS,
  costUsd: costUsd === null ? null : parseDecimal(costUsd),
  ...more,
});

const kinds = (spans: SpanSkeleton[], spends: SpanSpend[] = []) =>
  findAnomalies(buildSpanTree(spans), [], spends).map(({ spanId, kind }) => `${spanId} ${kind}`);

const sum = (spans: SpanSkeleton[], spends: SpanSpend[]): Record<string, string> =>
  Object.fromEntries([...sumCostBySpan(buildSpanTree(spans), spends)].map(([id, usd]) => [id, usd.toFixed()]));

/** Every call walks up to the root by itself. */
function sumSlowly(spans: SpanSkeleton[], spends: SpanSpend[]): Record<string, string> {
  const parentOf = new Map(spans.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]));
  const cost = new Map<string, Decimal>();
  for (const { spanId, costUsd } of spends) {
    const seen = new Set<string>();
    for (let id = spanId; costUsd !== null && id !== "" && !seen.has(id); id = parentOf.get(id) ?? "") {
      if (parentOf.has(id) || id === spanId) cost.set(id, cost.get(id)?.plus(costUsd) ?? costUsd);
      seen.add(id);
    }
  }
  return Object.fromEntries([...cost].map(([id, usd]) => [id, usd.toFixed()]));
}

describe("cost by span", () => {
  it("adds distinct calls up to every ancestor", () => {
    const spans = [span("root", ""), span("a", "root"), span("b", "root"), span("c", "a")];
    const spends = [spend("c", "0.1"), spend("b", "0.2"), spend("a", "0.01"), spend("a", "0.02")];
    expect(sum(spans, spends)).toEqual({ a: "0.13", b: "0.2", c: "0.1", root: "0.33" });
  });

  it("has no figure where nothing below is priced: not zero", () => {
    expect(sum([span("root", "")], [spend("root", null)])).toEqual({});
  });

  it("counts a call once on a cycle, and on its own span when that never arrived", () => {
    const spends = [spend("a", "1"), spend("gone", "2"), spend("c", "4")];
    expect(sum([span("a", "b"), span("b", "a"), span("c", "b")], spends)).toEqual({
      a: "5",
      b: "5",
      c: "4",
      gone: "2",
    });
  });

  it("leaves spans elsewhere that have the same id alone", () => {
    expect(
      sum([span("a", ""), span("a", "b", { linked: true }), span("b", "", { linked: true })], [spend("a", "1")]),
    ).toEqual({
      a: "1",
    });
  });

  it("equals walking up from every call, whatever the parents", () => {
    const name = fc.integer({ min: 0, max: 12 }).map((n) => (n === 0 ? "" : `s${n}`));
    const parents = fc.array(name, { maxLength: 10 });
    const drawn = fc.array(fc.tuple(name, fc.option(fc.integer({ min: 0, max: 99 }))), { maxLength: 20 });
    fc.assert(
      fc.property(parents, drawn, (parentIds, calls) => {
        const spans = parentIds.map((parent, index) => span(`s${index + 1}`, parent));
        const spends = calls
          .filter(([id]) => id !== "")
          .map(([id, cents]) => spend(id, cents === null ? null : `0.${String(cents).padStart(2, "0")}`));
        expect(sum(spans, spends)).toEqual(sumSlowly(spans, spends));
      }),
    );
  });

  it("climbs a hundred thousand levels, from calls on each", () => {
    const spans = Array.from({ length: 100_000 }, (_, depth) => span(`s${depth}`, depth === 0 ? "" : `s${depth - 1}`));
    expect(
      sum(
        spans,
        spans.map(({ spanId }) => spend(spanId, "1")),
      ),
    ).toMatchObject({ s0: "100000", s99999: "1" });
  });
});

describe("anomalies", () => {
  it.each<[string, SpanSkeleton[], string[]]>([
    ["a whole tree has none", [span("root", ""), span("a", "root")], []],
    ["a missing parent", [span("a", "gone")], ["a missing_parent"]],
    ["a span that is its own parent", [span("a", "a")], ["a cycle"]],
    [
      "a cycle of two, and not what hangs on it",
      [span("a", "b"), span("b", "a"), span("c", "a")],
      ["a cycle", "b cycle"],
    ],
    ["an end before the start", [span("a", "", { startedAtNs: 5n, endedAtNs: 0n })], ["a unfinished"]],
    ["an engine step of another trace is no orphan", [span("a", ""), span("step", "elsewhere", { linked: true })], []],
  ])("%s", (_why, spans, expected) => {
    expect(kinds(spans)).toEqual(expected);
  });

  it("name unpriced and quarantined calls and conflicting spans", () => {
    const spends = [
      spend("a", null, { calls: 2 }),
      spend("b", null, { costStatus: "quarantined", quarantineReason: "total_mismatch" }),
    ];
    const found = findAnomalies(buildSpanTree([span("a", ""), span("b", "")]), ["x"], spends);
    expect(found.map(({ spanId, kind, detail }) => [spanId, kind, detail])).toEqual([
      ["x", "conflicting_content", "arrived twice with different content; the first counts"],
      ["a", "unpriced", "no price for p m (2 calls)"],
      ["b", "quarantined_usage", "total_mismatch"],
    ]);
  });
});

it("sums the tokens of all calls", () => {
  const buckets = { ...EMPTY_BUCKETS, input: 3, cacheRead: 4 };
  expect(sumBuckets([spend("a", "1", { buckets }), spend("b", null, { buckets })])).toEqual({
    ...EMPTY_BUCKETS,
    input: 6,
    cacheRead: 8,
  });
});
