import { formatDecimal } from "@centspan/base";
import { EMPTY_BUCKETS, type MetricPoint } from "@centspan/model";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sumMetricTotals } from "./index.ts";

const NOBODY = { callsBySession: new Set<string>() };

const point = (facts: Partial<MetricPoint>, attributes: Record<string, string>): MetricPoint => ({
  name: "",
  type: "sum",
  unit: "",
  description: "",
  temporality: "delta",
  monotonic: true,
  service: "app",
  attributes,
  resourceAttributes: {},
  scopeName: "",
  startedAtNs: 1n,
  atNs: 2n,
  value: null,
  count: null,
  sum: null,
  min: null,
  max: null,
  bounds: [],
  bucketValues: [],
  ...facts,
});

const claude = (type: string, value: string, facts: Partial<MetricPoint> = {}) =>
  point({ name: "claude_code.token.usage", value, ...facts }, { type, model: "claude-x[1m]", "session.id": "s" });
const claudeCost = (value: string, facts: Partial<MetricPoint> = {}) =>
  point({ name: "claude_code.cost.usage", value, ...facts }, { model: "claude-x", "session.id": "s" });
const gemini = (type: string, value: string) =>
  point({ name: "gemini_cli.token.usage", value }, { type, model: "gemini-x", "session.id": "g" });
const standard = (type: string, sum: number, count: bigint, facts: Partial<MetricPoint> = {}, more = {}) =>
  point(
    { name: "gen_ai.client.token.usage", type: "histogram", sum, count, ...facts },
    { "gen_ai.token.type": type, "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-x", ...more },
  );

it("adds up deltas, tokens and money exactly, and takes a model's marks for no part of it", () => {
  const points = [claude("input", "12"), claude("input", "3", { atNs: 3n }), claude("cacheRead", "7.0")];
  points.push(claude("output", "5"), claudeCost("0.1"), claudeCost("0.2", { atNs: 3n }));
  const [total, ...others] = sumMetricTotals(points, NOBODY);
  expect(total).toMatchObject({
    model: "claude-x",
    provider: "anthropic",
    sessionId: "s",
    buckets: { ...EMPTY_BUCKETS, input: 15, cacheRead: 7, outputText: 5 },
    callCount: null,
    flags: [],
    reconcileOnly: false,
  });
  expect([total?.providedCostUsd && formatDecimal(total.providedCostUsd), others]).toEqual(["0.3", []]);
});

it("only checks sessions whose calls are known", () => {
  const reconcileOnly = (sessions: string[]) =>
    sumMetricTotals([claude("input", "1")], { callsBySession: new Set(sessions) }).map((total) => total.reconcileOnly);
  expect([reconcileOnly(["s"]), reconcileOnly(["t", ""])]).toEqual([[true], [false]]);
  const unnamed = sumMetricTotals([standard("input", 1, 1n)], { callsBySession: new Set([""]) });
  expect(unnamed).toMatchObject([{ sessionId: "", reconcileOnly: false }]);
});

it("takes what counts include as for calls: cached tokens out of the input, thoughts beside the output", () => {
  const points = [gemini("input", "9000"), gemini("cache", "6000"), gemini("output", "500"), gemini("thought", "700")];
  points.push(gemini("tool", "40"), gemini("unheard of", "1000"));
  expect(sumMetricTotals(points, NOBODY)).toMatchObject([
    { buckets: { ...EMPTY_BUCKETS, input: 3040, cacheRead: 6000, outputText: 500, outputReasoning: 700 } },
  ]);
});

it("counts an emitter's tokens under its own name, not under the standard one too", () => {
  const session = { "session.id": "g", "gen_ai.request.model": "gemini-x", "gen_ai.provider.name": "gcp.gemini" };
  const points = [gemini("input", "9000"), gemini("output", "500"), standard("input", 9000, 1n, {}, session)];
  expect(sumMetricTotals(points, NOBODY)).toMatchObject([{ provider: "google", buckets: { input: 9000 }, flags: [] }]);
});

it("adds up what several services say, and tells sessions and models apart", () => {
  const points = [
    standard("input", 10, 2n),
    standard("input", 20, 3n, { service: "other" }),
    standard("input", 5, 1n, {}, { "gen_ai.request.model": "gpt-y" }),
    standard("input", 7, 1n, {}, { "gen_ai.conversation.id": "c" }),
  ];
  const totals = sumMetricTotals(points, NOBODY);
  expect(
    totals.map(({ model, sessionId, buckets, callCount }) => [model, sessionId, buckets.input, callCount]),
  ).toEqual([
    ["gpt-x", "", 30, 5],
    ["gpt-y", "", 5, 1],
    ["gpt-x", "c", 7, 1],
  ]);
  expect(totals[0]?.flags).toEqual(["cache_split_unknown"]);
});

it("has the cost that a gateway counts beside the tokens, as a histogram too", () => {
  const scopeName = "litellm";
  const cost = standard("", 0.5, 4n, { scopeName, name: "gen_ai.client.token.cost" });
  const [total] = sumMetricTotals([standard("input", 10, 4n, { scopeName }), cost], NOBODY);
  expect(total).toMatchObject({ callCount: 4, buckets: { input: 10 } });
  expect(total?.providedCostUsd && formatDecimal(total.providedCostUsd)).toBe("0.5");
});

it("says which totals can't be", () => {
  expect(sumMetricTotals([claude("input", "0.5")], NOBODY)).toMatchObject([
    { buckets: EMPTY_BUCKETS, flags: ["invalid_count"] },
  ]);
});

it("has none of gauges and of other metrics", () => {
  expect(sumMetricTotals([claude("input", "1", { type: "gauge" }), point({ name: "http" }, {})], NOBODY)).toEqual([]);
});

it("a cumulative series is its latest point, and a restart begins another, in any order and however often sent", () => {
  const runs = fc.array(fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 5 }), { maxLength: 4 });
  fc.assert(
    fc.property(runs, fc.array(fc.nat(50)), (increments, resent) => {
      const points = increments.flatMap((run, start) =>
        run.map((_, n) => {
          const value = run.slice(0, n + 1).reduce((sum, each) => sum + each, 0);
          const startedAtNs = BigInt(start * 100);
          return claude("input", String(value), {
            temporality: "cumulative",
            startedAtNs,
            atNs: startedAtNs + BigInt(n),
          });
        }),
      );
      const again = resent.flatMap((n) => points[n % Math.max(points.length, 1)] ?? []);
      const [total] = sumMetricTotals([...points, ...again].toReversed(), NOBODY);
      expect(total?.buckets.input ?? 0).toBe(increments.flat().reduce((sum, each) => sum + each, 0));
    }),
  );
});

it("deltas sent again change nothing", () => {
  const values = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(values, fc.array(fc.nat(50)), (counts, resent) => {
      const points = counts.map((count, n) => claude("input", String(count), { atNs: BigInt(n + 2) }));
      const again = resent.flatMap((n) => points[n % points.length] ?? []);
      expect(sumMetricTotals([...again, ...points, ...again], NOBODY)).toEqual(sumMetricTotals(points, NOBODY));
    }),
  );
});
