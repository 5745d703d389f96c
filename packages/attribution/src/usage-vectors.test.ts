/** The shared OTLP vectors: which spans and records are calls, what they used, and what metrics add up to. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, type Decimal, formatDecimal } from "@centspan/base";
import { BUCKET_OF_METER, type Buckets, type Call, METERS, type SpanRecord } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { callAttributes, deriveCallsWithNotes, sumMetricTotals } from "./index.ts";
import { type Export, readExports, type Signals } from "./testing/read-otlp.ts";

type Counts = Record<string, number>;
type ExpectedCall = {
  trace_id?: string;
  span_id?: string;
  model: string;
  provider: string;
  buckets: Counts | null;
  alt_buckets?: Counts;
  input_semantics: string | null;
  session_id?: string;
  response_id?: string;
  provided_cost_usd?: string;
  ttft_ms?: number;
  flags?: string[];
  status?: string;
};
type ExpectedTotal = {
  model: string;
  provider: string;
  session_id?: string;
  buckets: Counts;
  call_count?: number;
  provided_cost_usd?: string;
  flags?: string[];
  reconcile_only: boolean;
};
type Vector = {
  id: string;
  family: string;
  trap: string;
  signal: string;
  context?: { gateway_services?: string[] };
  otlp: Export;
  also?: { otlp: Export }[];
  expected: {
    calls: ExpectedCall[];
    not_billed?: { span_id: string; reason: string }[];
    metric_totals?: ExpectedTotal[];
    flags?: string[];
    rollup_remainder?: { input_total: number; output_total: number };
  };
};

const SEEDS = [1, 2, 3, 4, 5];

const shared = process.env.CENTSPAN_SHARED;
const path = join(shared ?? "", "vectors", "otlp-usage-vectors.json");
if (shared && !existsSync(path)) throw new Error(`CENTSPAN_SHARED is set, but ${path} is missing`);
const vectors: Vector[] = shared ? JSON.parse(readFileSync(path, "utf8")) : [];

describe.skipIf(!shared)("shared OTLP vectors (set CENTSPAN_SHARED)", () => {
  it("are all here", () => expect(vectors).toHaveLength(50));

  it.each(vectors)("$id $family: $trap", (vector) => {
    const exports = [vector.otlp, ...(vector.also ?? []).map(({ otlp }) => otlp)];
    check(vector, readExports(exports));
    check(vector, readExports(exports.toReversed()));
    for (const seed of SEEDS) check(vector, shuffle(readExports(exports), seed));
  });

  it.each(vectors)("$id says the same without the attributes that no rule reads", (vector) => {
    const signals = readExports([vector.otlp, ...(vector.also ?? []).map(({ otlp }) => otlp)]);
    const spans = signals.spans.map((span) => ({
      ...span,
      attributes: Object.fromEntries(callAttributes.map((name) => [name, span.attributes[name] ?? ""])),
    }));
    expect(summarise(vector, { ...signals, spans })).toEqual(summarise(vector, signals));
  });

  it.each(vectors)("$id says the same however often its records are sent", (vector) => {
    const exports = [vector.otlp, ...(vector.also ?? []).map(({ otlp }) => otlp)];
    const once = summarise(vector, readExports(exports));
    for (const seed of SEEDS) {
      const random = createRandom(seed);
      const resent = Array.from({ length: 3 }, () => exports[random.integer(exports.length)] ?? {});
      expect(summarise(vector, shuffle(readExports([...exports, ...resent]), seed))).toEqual(once);
    }
  });
});

/** What the vector calls a gateway's service came with a gateway's credential. */
const trust = ({ context }: Vector, spans: readonly SpanRecord[]): SpanRecord[] =>
  spans.map((span) => ({ ...span, trusted: context?.gateway_services?.includes(span.service) ?? false }));

function summarise(vector: Vector, { spans, logs, points }: Signals) {
  const { calls, notes } = deriveCallsWithNotes({ spans: trust(vector, spans), logs });
  const callsBySession = new Set(calls.map(({ sessionId }) => sessionId));
  return { calls, notes: notes.filter(isOfCall), totals: sumMetricTotals(points, { callsBySession }) };
}
const isOfCall = ({ kind }: { kind: string }): boolean => kind === "flag" || kind === "alternative";

function check(vector: Vector, { spans, logs, points }: Signals): void {
  const { expected } = vector;
  const { calls, notes } = deriveCallsWithNotes({ spans: trust(vector, spans), logs });
  expect(calls).toHaveLength(expected.calls.length);
  for (const [index, want] of expected.calls.entries()) {
    const call = calls[index];
    checkCall(call, want);
    const flags = notes.flatMap((note) => (note.kind === "flag" && note.callId === call?.callId ? [note.flag] : []));
    expect(flags).toEqual(want.flags ?? []);
    const alternatives = notes.flatMap((note) => (note.kind === "alternative" ? [note.buckets] : []));
    expect(alternatives).toEqual(want.alt_buckets ? [readBuckets(want.alt_buckets)] : []);
  }
  const notBilled = notes.flatMap((note) => (note.kind === "not_billed" ? [`${note.spanId} ${note.reason}`] : []));
  expect(notBilled.sort()).toEqual((expected.not_billed ?? []).map((each) => `${each.span_id} ${each.reason}`).sort());
  const rollups = notes.filter((note) => note.kind === "rollup");
  expect(rollups.flatMap(({ flags }) => flags)).toEqual(expected.flags ?? []);
  const remainders = rollups.flatMap(({ remainder }) => remainder ?? []);
  const { rollup_remainder: want } = expected;
  expect(remainders).toEqual(want ? [{ promptTokens: want.input_total, outputTokens: want.output_total }] : []);

  const callsBySession = new Set(calls.map(({ sessionId }) => sessionId));
  const totals = sumMetricTotals(points, { callsBySession });
  expect(totals.map((total) => ({ ...total, providedCostUsd: write(total.providedCostUsd) }))).toEqual(
    (expected.metric_totals ?? []).map((total) => ({
      model: total.model,
      provider: total.provider,
      sessionId: total.session_id ?? "",
      buckets: readBuckets(total.buckets),
      callCount: total.call_count ?? null,
      providedCostUsd: total.provided_cost_usd,
      flags: total.flags ?? [],
      reconcileOnly: total.reconcile_only,
    })),
  );
}

function checkCall(call: Call | undefined, want: ExpectedCall): void {
  expect(call).toMatchObject({
    traceId: want.trace_id ?? "",
    spanId: want.span_id ?? "",
    model: want.model,
    provider: want.provider,
    sessionId: want.session_id ?? "",
    responseId: want.response_id ?? "",
    ttftMs: want.ttft_ms ?? null,
    quarantineReason: want.status === "estimated_required" ? "usage_missing" : "",
  });
  if (want.buckets) expect(call?.buckets).toEqual(readBuckets(want.buckets));
  const cached = (want.buckets?.cache_read ?? 0) + (want.buckets?.cache_write_5m ?? 0);
  if (cached > 0) expect(call?.inputSemantics).toBe(want.input_semantics);
  expect(write(call?.providedCostUsd ?? null)).toBe(want.provided_cost_usd);
}

const write = (amount: Decimal | null): string | undefined => (amount ? formatDecimal(amount) : undefined);

function readBuckets(counts: Counts): Buckets {
  const entries = METERS.map((meter) => [BUCKET_OF_METER[meter], counts[meter] ?? 0] as const);
  const {
    input = 0,
    cacheRead = 0,
    cacheWrite5m = 0,
    cacheWrite1h = 0,
    outputText = 0,
    outputReasoning = 0,
    webSearches = 0,
  } = Object.fromEntries(entries);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, outputText, outputReasoning, webSearches };
}

/** Fisher–Yates, for each signal. */
function shuffle({ spans, logs, points }: Signals, seed: number): Signals {
  const random = createRandom(seed);
  const mixed = <T>(items: readonly T[]): T[] => {
    const rest = [...items];
    return items.flatMap(() => rest.splice(random.integer(rest.length), 1));
  };
  return { spans: mixed(spans), logs: mixed(logs), points: mixed(points) };
}
