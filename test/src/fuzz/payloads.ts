/** Valid export requests of every signal, small and varied, as protobuf and as JSON: what the mutations begin with. */
import { encodeExport, writeExportJson } from "../otlp/schema.ts";
import type { Signal } from "./judge-protobuf.ts";

export type Random = () => number;
export type Seed = { protobuf: Buffer; json: string };

export function createSeed(signal: Signal, random: Random): Seed {
  const message = describeRequest(signal, random);
  return { protobuf: Buffer.from(encodeExport(signal, message)), json: writeExportJson(message) };
}

export const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
};
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const upTo = (random: Random, max: number): number => Math.floor(random() * (max + 1));
const maybe = (random: Random, fields: Record<string, unknown>): Record<string, unknown> =>
  random() < 0.5 ? fields : {};
const bytes = (random: Random, count: number): Buffer => Buffer.from(times(count, () => 1 + upTo(random, 254)));

function describeRequest(signal: Signal, random: Random): Record<string, unknown> {
  const [resources, scopes, records] = {
    traces: ["resourceSpans", "scopeSpans", "spans"],
    logs: ["resourceLogs", "scopeLogs", "logRecords"],
    metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
  }[signal];
  const describe = { traces: describeSpan, logs: describeLog, metrics: describeMetric }[signal];
  return {
    [resources ?? ""]: times(1 + upTo(random, 1), () => ({
      ...maybe(random, { resource: { attributes: attributes(random, 2), droppedAttributesCount: upTo(random, 3) } }),
      ...maybe(random, { schemaUrl: "https://opentelemetry.io/schemas/1.37.0" }),
      [scopes ?? ""]: times(1 + upTo(random, 1), () => ({
        ...maybe(random, { scope: { name: "lib", version: "1.0", attributes: attributes(random, 1) } }),
        [records ?? ""]: times(upTo(random, 3), () => describe(random)),
      })),
    })),
  };
}

const WORDS = ["gen_ai.request.model", "a", "http.route", "가나다", "session.id", "gen_ai.usage.input_tokens", "🙂"];
const attributes = (random: Random, max: number): unknown[] =>
  times(upTo(random, max), () => ({ key: pick(random, WORDS), value: describeValue(random, 3) }));

function describeValue(random: Random, depth: number): Record<string, unknown> {
  const kinds = [
    () => ({ stringValue: pick(random, ["", "x", "gpt-4o", "한국어", "line\nline"]) }),
    () => ({ stringValue: "long ".repeat(upTo(random, 60)) }),
    () => ({ intValue: pick(random, ["0", "-1", "9223372036854775807", "42"]) }),
    () => ({ doubleValue: pick(random, [0.5, -1e300, 0]) }),
    () => ({ boolValue: random() < 0.5 }),
    () => ({ bytesValue: bytes(random, upTo(random, 5)) }),
    () => ({}),
  ];
  if (depth > 0) {
    kinds.push(() => ({ arrayValue: { values: times(upTo(random, 2), () => describeValue(random, depth - 1)) } }));
    kinds.push(() => ({
      kvlistValue: { values: times(upTo(random, 2), () => ({ key: "k", value: describeValue(random, depth - 1) })) },
    }));
  }
  return pick(random, kinds)();
}

const instant = (random: Random): string => `17643744${String(upTo(random, 99_999_999)).padStart(8, "0")}000`;

const describeSpan = (random: Random): Record<string, unknown> => ({
  traceId: bytes(random, 16),
  spanId: bytes(random, 8),
  ...maybe(random, { parentSpanId: bytes(random, 8), traceState: "a=b", flags: 257 }),
  name: pick(random, ["chat", "step", "도구"]),
  kind: upTo(random, 5),
  startTimeUnixNano: instant(random),
  endTimeUnixNano: instant(random),
  attributes: attributes(random, 4),
  ...maybe(random, { events: [{ timeUnixNano: instant(random), name: "e", attributes: attributes(random, 1) }] }),
  ...maybe(random, {
    links: [{ traceId: bytes(random, 16), spanId: bytes(random, 8), attributes: attributes(random, 1) }],
  }),
  ...maybe(random, { status: { code: upTo(random, 2), message: "m" }, droppedEventsCount: 1 }),
});

const describeLog = (random: Random): Record<string, unknown> => ({
  timeUnixNano: instant(random),
  ...maybe(random, { observedTimeUnixNano: instant(random), severityNumber: upTo(random, 24), severityText: "INFO" }),
  body: describeValue(random, 2),
  attributes: attributes(random, 4),
  ...maybe(random, { traceId: bytes(random, 16), spanId: bytes(random, 8), flags: 1 }),
  ...maybe(random, { eventName: "api_request" }),
});

const describePoint = (random: Random): Record<string, unknown> => ({
  startTimeUnixNano: instant(random),
  timeUnixNano: instant(random),
  attributes: attributes(random, 2),
  ...maybe(random, { flags: upTo(random, 1) }),
});

const exemplars = (random: Random): Record<string, unknown> =>
  maybe(random, {
    exemplars: [{ timeUnixNano: instant(random), asDouble: 0.5, spanId: bytes(random, 8), traceId: bytes(random, 16) }],
  });

const numberPoints = (random: Random): unknown[] =>
  times(upTo(random, 2), () => ({
    ...describePoint(random),
    ...exemplars(random),
    ...pick(random, [{ asDouble: 1.5 }, { asInt: "-7" }]),
  }));

function describeMetric(random: Random): Record<string, unknown> {
  const summed = { count: "3", sum: 4.5 };
  const data = pick(random, [
    () => ({ gauge: { dataPoints: numberPoints(random) } }),
    () => ({ sum: { dataPoints: numberPoints(random), aggregationTemporality: 2, isMonotonic: true } }),
    () => ({
      histogram: {
        dataPoints: [
          {
            ...describePoint(random),
            ...summed,
            bucketCounts: ["1", "2"],
            explicitBounds: [0.5],
            ...exemplars(random),
          },
        ],
        aggregationTemporality: 1,
      },
    }),
    () => ({
      exponentialHistogram: {
        dataPoints: [
          {
            ...describePoint(random),
            ...summed,
            scale: -2,
            zeroCount: "1",
            positive: { offset: 3, bucketCounts: ["1", "300"] },
          },
        ],
      },
    }),
    () => ({
      summary: { dataPoints: [{ ...describePoint(random), ...summed, quantileValues: [{ quantile: 0.5, value: 2 }] }] },
    }),
    () => ({}),
  ])();
  return { name: "gen_ai.client.token.usage", unit: "{token}", ...maybe(random, { description: "d" }), ...data };
}
