import { parseDecimal } from "@centspan/base";
import { EMPTY_BUCKETS, EMPTY_IDENTITY, type RatedCall, type SpanSkeleton } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { findAnomalies, sumCostBySpan } from "./trace-rollups.ts";

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

const call = (spanId: string, costUsd: string | null, more: Partial<RatedCall> = {}): RatedCall => ({
  ...EMPTY_IDENTITY,
  callId: spanId,
  traceId: "t",
  spanId,
  atNs: 0n,
  durationNs: 0n,
  provider: "p",
  model: "m",
  effort: "",
  serviceTier: "",
  responseId: "",
  source: "client",
  dialect: "semconv",
  inputSemantics: "inclusive",
  requests: 1,
  buckets: EMPTY_BUCKETS,
  ttftMs: null,
  providedCostUsd: null,
  provenance: "measured",
  quarantineReason: "",
  costStatus: costUsd === null ? "unpriced" : "rated",
  costUsd: costUsd === null ? null : parseDecimal(costUsd),
  lines: [],
  ...more,
});

const kinds = (spans: SpanSkeleton[], calls: RatedCall[] = []) =>
  findAnomalies({ spans, conflictingSpanIds: [] }, calls).map(({ spanId, kind }) => `${spanId} ${kind}`);

describe("cost by span", () => {
  it("adds distinct calls up to every ancestor", () => {
    const spans = [span("root", ""), span("a", "root"), span("b", "root"), span("c", "a")];
    const cost = sumCostBySpan(spans, [call("c", "0.1"), call("b", "0.2"), call("a", "0.01")]);
    expect([...cost].map(([id, usd]) => [id, usd.toFixed()]).sort()).toEqual([
      ["a", "0.11"],
      ["b", "0.2"],
      ["c", "0.1"],
      ["root", "0.31"],
    ]);
  });

  it("has no figure where nothing below is priced: not zero", () => {
    expect(sumCostBySpan([span("root", "")], [call("root", null)]).has("root")).toBe(false);
  });

  it("counts a call once on a cycle, and on its own span when that never arrived", () => {
    const cost = sumCostBySpan([span("a", "b"), span("b", "a")], [call("a", "1"), call("gone", "2")]);
    expect([...cost].map(([id, usd]) => [id, usd.toFixed()])).toEqual([
      ["a", "1"],
      ["b", "1"],
      ["gone", "2"],
    ]);
  });

  it("climbs ten thousand levels", () => {
    const spans = Array.from({ length: 10_000 }, (_, depth) => span(`s${depth}`, depth === 0 ? "" : `s${depth - 1}`));
    expect(sumCostBySpan(spans, [call("s9999", "1")]).size).toBe(10_000);
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
    const calls = [call("a", null), call("b", null, { costStatus: "quarantined", quarantineReason: "total_mismatch" })];
    expect(kinds([span("a", ""), span("b", "")], calls)).toEqual(["a unpriced", "b quarantined_usage"]);
    expect(findAnomalies({ spans: [], conflictingSpanIds: ["x"] }, [])[0]).toMatchObject({
      spanId: "x",
      kind: "conflicting_content",
    });
  });
});
