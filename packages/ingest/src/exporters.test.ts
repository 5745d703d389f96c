/**
 * What OpenTelemetry's own serializers write in JSON and in protobuf is the same to us, for each signal.
 */
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBlockBuilder } from "./block-builder.ts";
import { transcodeJson } from "./json/transcode-json.ts";
import { type NativeRow, readNative } from "./testing/read-native.ts";

const text = fc.string({ unit: "grapheme", maxLength: 5 });
/** Their JSON writes integers beyond 2^53 as they print, so they stay below. */
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double().filter((n) => Math.abs(n) < 1e15 && !Object.is(n, -0)),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.uint8Array({ maxLength: 6 }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
}));
const attributes = fc.dictionary(text, value, { maxKeys: 4 });
const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((id) => Buffer.from(id).toString("hex"))
    .filter((id) => !/^0+$/.test(id));
const time = fc.tuple(fc.nat(2_000_000_000), fc.nat(999_999_999));
const spanContext = fc.record({ traceId: hex(16), spanId: hex(8), traceFlags: fc.constant(1) });
const shared = fc.record({
  resource: fc.record({ attributes }),
  instrumentationScope: fc.record({ name: text, version: fc.option(text, { nil: undefined }) }),
});

const span = fc.record({
  name: text,
  kind: fc.integer({ min: 0, max: 4 }),
  own: spanContext,
  parentSpanContext: fc.option(spanContext, { nil: undefined }),
  startTime: time,
  endTime: time,
  status: fc.record({ code: fc.constantFrom(0, 1, 2), message: text }),
  attributes,
  events: fc.array(fc.record({ name: text, time, attributes }), { maxLength: 2 }),
  links: fc.array(fc.record({ context: spanContext, attributes }), { maxLength: 2 }),
});
const log = fc.record({
  hrTime: time,
  hrTimeObserved: time,
  severityNumber: fc.option(fc.integer({ min: 1, max: 24 }), { nil: undefined }),
  severityText: fc.option(text, { nil: undefined }),
  body: fc.option(value, { nil: undefined }),
  eventName: fc.option(text, { nil: undefined }),
  spanContext: fc.option(spanContext, { nil: undefined }),
  attributes,
  droppedAttributesCount: fc.nat(9),
});

const count = fc.nat(1_000_000);
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0));
const buckets = fc.record({ offset: fc.integer({ min: -9, max: 9 }), bucketCounts: fc.array(count, { maxLength: 4 }) });
const statistics = { sum: double, min: double, max: double, count };
const bounds = fc.record({ boundaries: fc.array(double, { maxLength: 3 }), counts: fc.array(count, { maxLength: 4 }) });
const exponential = { scale: fc.integer({ min: -9, max: 9 }), zeroCount: count, positive: buckets, negative: buckets };

/** By the DataPointType and ValueType of OpenTelemetry's SDK. */
const KINDS = [
  { dataPointType: 0, valueType: 1, value: fc.record({ ...statistics, buckets: bounds }) },
  { dataPointType: 1, valueType: 1, value: fc.record({ ...statistics, ...exponential }) },
  { dataPointType: 2, valueType: 1, value: double },
  { dataPointType: 2, valueType: 0, value: fc.maxSafeInteger() },
  { dataPointType: 3, valueType: 1, value: double },
  { dataPointType: 3, valueType: 0, value: fc.maxSafeInteger() },
];
const metric = fc.constantFrom(...KINDS).chain((kind) => {
  const point = fc.record({ startTime: time, endTime: time, attributes, value: kind.value });
  return fc.record({
    descriptor: fc.record({ name: text, description: text, unit: text, valueType: fc.constant(kind.valueType) }),
    aggregationTemporality: fc.constantFrom(0, 1),
    dataPointType: fc.constant(kind.dataPointType),
    isMonotonic: fc.boolean(),
    dataPoints: fc.array(point, { maxLength: 2 }),
  });
});

/** An object that stands in for one of the SDK's classes, of which the serializers read the fields only. */
const standIn = (...parts: object[]) => Object.assign(Object.create(null), ...parts);

async function rowsOf(table: "spans" | "logs" | "metrics", body: Uint8Array | undefined): Promise<NativeRow[]> {
  const builder = createBlockBuilder(table);
  const admission = builder.add("w", body ?? new Uint8Array());
  expect(admission.rejected).toBe(0);
  // The hash is that of the bytes, which may differ for equal content: fields in another order, defaults written or not.
  return (await readNative(builder.take())).map(({ request_hash, ...row }) => row);
}

describe("what OpenTelemetry's serializers write", () => {
  it("traces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 3 }), shared, async (spans, common) => {
        const request = spans.map((one) => standIn(one, common, { spanContext: () => one.own }));
        const json = transcodeJson("traces", JsonTraceSerializer.serializeRequest(request) ?? new Uint8Array());
        const rows = await rowsOf("spans", ProtobufTraceSerializer.serializeRequest(request));
        expect(json.rejected).toBe(0);
        expect(await rowsOf("spans", json.body)).toEqual(rows);
        expect(rows).toMatchObject(spans.map((one) => ({ name: one.name, span_id: one.own.spanId })));
      }),
      { numRuns: 60 },
    );
  });

  it("logs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(log, { minLength: 1, maxLength: 3 }), shared, async (logs, common) => {
        const request = logs.map((one) => standIn(one, common));
        const json = transcodeJson("logs", JsonLogsSerializer.serializeRequest(request) ?? new Uint8Array());
        const rows = await rowsOf("logs", ProtobufLogsSerializer.serializeRequest(request));
        expect(json.rejected).toBe(0);
        expect(await rowsOf("logs", json.body)).toEqual(rows);
        expect(rows).toMatchObject(logs.map((one) => ({ span_id: one.spanContext?.spanId ?? "" })));
      }),
      { numRuns: 60 },
    );
  });

  it("metrics", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(metric, { minLength: 1, maxLength: 3 }), shared, async (metrics, common) => {
        const scopeMetrics = [{ scope: common.instrumentationScope, metrics }];
        const request = standIn({ resource: common.resource, scopeMetrics });
        const json = transcodeJson("metrics", JsonMetricsSerializer.serializeRequest(request) ?? new Uint8Array());
        const rows = await rowsOf("metrics", ProtobufMetricsSerializer.serializeRequest(request));
        expect(json.rejected).toBe(0);
        expect(await rowsOf("metrics", json.body)).toEqual(rows);
        expect(rows.map(({ name }) => name)).toEqual(
          metrics.flatMap(({ descriptor, dataPoints }) => dataPoints.map(() => descriptor.name)),
        );
      }),
      { numRuns: 60 },
    );
  });
});
