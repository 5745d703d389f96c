/**
 * The shared OTLP vectors of signal `traces`: which spans are calls, and what they used. Not asserted here: time to
 * first token (a call has none) and what only logs or metrics say.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatDecimal } from "@centspan/base";
import { BUCKET_OF_METER, type Buckets, METERS, type SpanRecord } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { deriveCallsWithNotes } from "./index.ts";

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean };
type Attribute = { key: string; value: Value };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes?: Attribute[];
};
type Otlp = {
  resourceSpans?: {
    resource?: { attributes?: Attribute[] };
    scopeSpans: { scope?: { name?: string }; spans: OtlpSpan[] }[];
  }[];
};
type ExpectedCall = {
  trace_id: string;
  span_id: string;
  model: string;
  provider: string;
  buckets: Record<string, number> | null;
  alt_buckets?: Record<string, number>;
  input_semantics: string | null;
  session_id?: string;
  response_id?: string;
  provided_cost_usd?: string;
  flags?: string[];
  status?: string;
};
type Vector = {
  id: string;
  family: string;
  trap: string;
  signal: string;
  context?: { gateway_services?: string[] };
  otlp: Otlp;
  also?: { otlp: Otlp }[];
  expected: { calls: ExpectedCall[]; not_billed?: { span_id: string; reason: string }[] };
};

/** Families that need a dialect or a signal we do not read yet. A family that starts to pass must leave this list. */
const LEFT_FOR_LATER = ["claude_code_span_and_log", "langfuse_usage_details", "langfuse_usage_details_openai_keys"];

const shared = process.env.CENTSPAN_SHARED;
const path = join(shared ?? "", "vectors", "otlp-usage-vectors.json");
if (shared && !existsSync(path)) throw new Error(`CENTSPAN_SHARED is set, but ${path} is missing`);
const all: Vector[] = shared ? JSON.parse(readFileSync(path, "utf8")) : [];
const vectors = all.filter(({ signal }) => signal === "traces");
const isLeft = ({ family }: Vector): boolean => LEFT_FOR_LATER.includes(family);

describe.skipIf(!shared)("shared OTLP vectors of traces (set CENTSPAN_SHARED)", () => {
  it("are all here", () => expect([all.length, vectors.length]).toEqual([50, 40]));

  it.each(vectors.filter((vector) => !isLeft(vector)))("$id $family: $trap", (vector) => {
    check(vector, readSpans(vector));
    check(vector, readSpans(vector).toReversed());
  });

  it.each(vectors.filter(isLeft))("$id $family is still left for later", (vector) => {
    expect(() => check(vector, readSpans(vector))).toThrow();
  });
});

function check({ context, expected }: Vector, spans: SpanRecord[]): void {
  const { calls, notes } = deriveCallsWithNotes(spans, { gatewayServices: context?.gateway_services ?? [] });
  expect(calls).toHaveLength(expected.calls.length);
  for (const [index, want] of expected.calls.entries()) {
    const call = calls[index];
    expect(call).toMatchObject({
      traceId: want.trace_id,
      spanId: want.span_id,
      model: want.model,
      provider: want.provider,
      sessionId: want.session_id ?? "",
      responseId: want.response_id ?? "",
      quarantineReason: want.status === "estimated_required" ? "usage_missing" : "",
    });
    if (want.buckets) expect(call?.buckets).toEqual(readBuckets(want.buckets));
    const cached = (want.buckets?.cache_read ?? 0) + (want.buckets?.cache_write_5m ?? 0);
    if (cached > 0) expect(call?.inputSemantics).toBe(want.input_semantics);
    const claim = call?.providedCostUsd;
    expect(claim ? formatDecimal(claim) : undefined).toBe(want.provided_cost_usd);
    const flags = notes.flatMap((note) => (note.kind === "flag" && note.callId === call?.callId ? [note.flag] : []));
    expect(flags).toEqual(want.flags ?? []);
    const alternatives = notes.flatMap((note) => (note.kind === "alternative" ? [note.buckets] : []));
    expect(alternatives).toEqual(want.alt_buckets ? [readBuckets(want.alt_buckets)] : []);
  }
  const notBilled = notes.flatMap((note) => (note.kind === "not_billed" ? [`${note.spanId} ${note.reason}`] : []));
  expect(notBilled.sort()).toEqual((expected.not_billed ?? []).map((each) => `${each.span_id} ${each.reason}`).sort());
}

function readBuckets(counts: Record<string, number>): Buckets {
  const entries = METERS.map((meter) => [BUCKET_OF_METER[meter], counts[meter] ?? 0] as const);
  const {
    input = 0,
    cacheRead = 0,
    cacheWrite5m = 0,
    cacheWrite1h = 0,
    outputText = 0,
    outputReasoning = 0,
  } = Object.fromEntries(entries);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, outputText, outputReasoning };
}

/** Spans as the store would give them: attribute values as text. Exports of other signals have no spans. */
function readSpans({ otlp, also = [] }: Vector): SpanRecord[] {
  return [otlp, ...also.map((each) => each.otlp)].flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans }) =>
        spans.map((each): SpanRecord => {
          const resourceAttributes = readAttributes(resource?.attributes);
          return {
            traceId: each.traceId,
            spanId: each.spanId,
            parentSpanId: each.parentSpanId ?? "",
            name: each.name,
            kind: "client",
            service: resourceAttributes["service.name"] ?? "",
            startedAtNs: BigInt(each.startTimeUnixNano),
            endedAtNs: BigInt(each.endTimeUnixNano),
            status: each.status?.code === 2 ? "error" : "unset",
            statusMessage: "",
            attributes: readAttributes(each.attributes),
            resourceAttributes,
            scopeName: scope?.name ?? "",
            events: [],
            links: [],
          };
        }),
      ),
    ),
  );
}

const readAttributes = (attributes: Attribute[] = []): Record<string, string> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      String(value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? ""),
    ]),
  );
