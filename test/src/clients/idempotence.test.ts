import { gzipSync } from "node:zlib";
import type { CallRow, CostRow, LogRow, MetricPointRow, TraceDetail, TraceRow } from "@centspan/model";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { afterAll, expect, inject, it } from "vitest";
import { encodeExport, OTLP, writeExportJson } from "../otlp/schema.ts";
import { createRandom } from "../otlp/scramble.ts";
import { getOk, listAll } from "../stack/api.ts";
import { findRows, findTrace } from "../stack/find-rows.ts";
import { until } from "../stack/processes.ts";

type Signal = keyof typeof OTLP;
type Export = { signal: Signal; message: Record<string, unknown> };

const RESENDS = 60;
const seed = Math.trunc(Math.random() * 1e6);
const random = createRandom(seed);
const SERVICE = `resent-${seed}`;
const MODEL = `model-${seed}`;
const TRACE = seed.toString(16).padStart(32, "e");
const startNs = BigInt(Date.now()) * 1_000_000n;
const nano = (offset: number): string => (startNs + BigInt(offset) * 1_000_000n).toString();
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const whole = (key: string, intValue: number) => ({ key, value: { intValue } });
const resource = { attributes: [text("service.name", SERVICE), text("host.name", "h")] };
const scope = { name: "resend", version: "1" };

const spanId = (number: number): Buffer => Buffer.from(number.toString(16).padStart(16, "0"), "hex");
const describeSpan = (number: number) => ({
  traceId: Buffer.from(TRACE, "hex"),
  spanId: spanId(number),
  ...(number === 1 ? {} : { parentSpanId: spanId(1) }),
  name: number % 2 === 0 ? `chat ${MODEL}` : "work",
  kind: 3,
  startTimeUnixNano: nano(number),
  endTimeUnixNano: nano(number + 5),
  attributes:
    number % 2 === 0
      ? [
          text("gen_ai.operation.name", "chat"),
          text("gen_ai.provider.name", "openai"),
          text("gen_ai.request.model", MODEL),
          whole("gen_ai.usage.input_tokens", 100 + number),
          whole("gen_ai.usage.output_tokens", number),
        ]
      : [{ key: "list", value: { arrayValue: { values: [{ boolValue: true }, { doubleValue: 0.5 }] } } }],
  events: [{ timeUnixNano: nano(number + 1), name: "event", attributes: [whole("n", number)] }],
  status: { code: 1 },
});

const exportSpans = (...numbers: number[]): Export => ({
  signal: "traces",
  message: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: numbers.map(describeSpan) }] }] },
});

/** Claude Code's account of a call is a log record. */
const exportLogs = (...numbers: number[]): Export => ({
  signal: "logs",
  message: {
    resourceLogs: [
      {
        resource,
        scopeLogs: [
          {
            scope: { name: "com.anthropic.claude_code.events" },
            logRecords: numbers.map((number) => ({
              timeUnixNano: nano(number),
              observedTimeUnixNano: nano(number),
              body: { stringValue: "claude_code.api_request" },
              attributes: [
                text("event.name", "api_request"),
                text("session.id", `session-${seed}`),
                text("request_id", `req_${seed}_${number}`),
                text("model", MODEL),
                whole("input_tokens", 10 + number),
                whole("output_tokens", 3),
                whole("cache_read_tokens", 7),
                whole("cache_creation_tokens", 0),
                { key: "cost_usd", value: { doubleValue: 0.01 } },
              ],
            })),
          },
        ],
      },
    ],
  },
});

const exportMetrics = (offset: number): Export => ({
  signal: "metrics",
  message: {
    resourceMetrics: [
      {
        resource,
        scopeMetrics: [
          {
            scope,
            metrics: [
              {
                name: "tokens",
                unit: "{token}",
                sum: {
                  aggregationTemporality: 2,
                  isMonotonic: true,
                  dataPoints: [describePoint(offset, { asInt: "41" })],
                },
              },
              { name: "level", gauge: { dataPoints: [describePoint(offset, { asDouble: 0.5 })] } },
              {
                name: "seconds",
                histogram: {
                  aggregationTemporality: 2,
                  dataPoints: [
                    describePoint(offset, { count: "2", sum: 3.5, bucketCounts: ["1", "1"], explicitBounds: [1] }),
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  },
});
const describePoint = (offset: number, value: Record<string, unknown>) => ({
  startTimeUnixNano: nano(0),
  timeUnixNano: nano(offset),
  attributes: [text("kind", "a")],
  ...value,
});

/** The last of each signal: when they are found, all that was sent before them is in the store. */
const LAST_SPAN = 99;
const EXPORTS = [
  exportSpans(1, 2, 3, 4),
  exportSpans(5, 6),
  exportLogs(1, 2, 3),
  exportLogs(4),
  exportMetrics(1),
  exportMetrics(2),
];

const grpc = new Client(new URL(inject("connection").otlpGrpcUrl).host, credentials.createInsecure());
afterAll(() => grpc.close());
const SERVICES = { traces: "trace.v1.TraceService", logs: "logs.v1.LogsService", metrics: "metrics.v1.MetricsService" };

const overHttp = async (
  { signal }: Export,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<void> => {
  const { otlpUrl, ingestKey } = inject("connection");
  const response = await fetch(`${otlpUrl}${OTLP[signal].path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ingestKey}`, ...headers },
    body,
  });
  expect([response.status, (await response.text()).replace(/^\{\}$/, "")]).toEqual([200, ""]);
};
const toProtobuf = ({ signal, message }: Export): Buffer<ArrayBuffer> => Buffer.from(encodeExport(signal, message));
const toJson = ({ message }: Export): Buffer<ArrayBuffer> => Buffer.from(writeExportJson(message));
const PROTOBUF = { "content-type": "application/x-protobuf" };
const JSON_TYPE = { "content-type": "application/json" };
const GZIP = { "content-encoding": "gzip" };

const WAYS: Record<string, (sent: Export) => Promise<void>> = {
  protobuf: (sent) => overHttp(sent, toProtobuf(sent), PROTOBUF),
  "gzipped protobuf": (sent) => overHttp(sent, gzipSync(toProtobuf(sent)), { ...PROTOBUF, ...GZIP }),
  json: (sent) => overHttp(sent, toJson(sent), JSON_TYPE),
  "gzipped json": (sent) => overHttp(sent, gzipSync(toJson(sent)), { ...JSON_TYPE, ...GZIP }),
  grpc: (sent) =>
    new Promise((resolve, reject) => {
      const metadata = new Metadata();
      metadata.set("authorization", `Bearer ${inject("connection").ingestKey}`);
      const path = `/opentelemetry.proto.collector.${SERVICES[sent.signal]}/Export`;
      const identity = (bytes: Buffer): Buffer => bytes;
      grpc.makeUnaryRequest(path, identity, identity, toProtobuf(sent), metadata, (error, answer) => {
        if (error) reject(error);
        else if (answer === undefined || answer.length > 0) reject(new Error(`some were refused: ${answer}`));
        else resolve();
      });
    }),
};

/**
 * A log record has no id: it is known by its request, and a request that is written otherwise is another one. So a log goes
 * again as the protobuf it was, in whatever wrapping.
 */
const waysFor = ({ signal }: Export) =>
  Object.entries(WAYS).flatMap(([name, way]) => (signal === "logs" && name.endsWith("json") ? [] : [way]));

/** What anybody can ask about what was sent, once its trace is listed with that many spans. */
async function readNumbers(spans: number) {
  const { data } = await getOk<{ data: CostRow[] }>("/cost?groupBy=model");
  const [traces, detail, calls, logs, points] = await Promise.all([
    findRows<TraceRow>(`/traces?traceId=${TRACE}`, 1, ([trace]) => trace?.spans === spans),
    getOk<TraceDetail>(`/traces/${TRACE}`),
    listAll<CallRow>(`/calls?model=${MODEL}`),
    listAll<LogRow>(`/logs?service=${SERVICE}`),
    listAll<MetricPointRow>(`/metrics?service=${SERVICE}`),
  ]);
  return { cost: data.filter(({ group }) => group === MODEL), traces, detail, calls, logs, points };
}

async function waitUntilRated(): Promise<void> {
  const askedAt = new Date().toISOString();
  await until("the worker has rated all", async () => {
    const { ratedThrough } = await getOk<{ ratedThrough: string | null }>("/health");
    return ratedThrough !== null && ratedThrough > askedAt ? true : undefined;
  });
}

const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];

it(`changes no number when exports are sent again, in any order and encoding (seed ${seed})`, async () => {
  for (const sent of EXPORTS) await WAYS.protobuf?.(sent);
  await Promise.all([
    findTrace(TRACE, 6),
    findRows(`/logs?service=${SERVICE}`, 4),
    findRows(`/metrics?service=${SERVICE}`, 6),
  ]);
  await waitUntilRated();
  const before = await readNumbers(6);
  expect(before.cost).toMatchObject([
    { calls: 3 + 4, buckets: { input: 102 + 104 + 106 + 11 + 12 + 13 + 14, cacheRead: 28 } },
  ]);
  expect([before.calls.length, before.logs.length, before.points.length, before.detail.spans.length]).toEqual([
    7, 4, 6, 6,
  ]);

  for (let count = 0; count < RESENDS; count += 1) {
    const sent = pick(EXPORTS);
    if (sent !== undefined) await pick(waysFor(sent))?.(sent);
  }
  await WAYS.json?.(exportSpans(LAST_SPAN));
  await WAYS.json?.(exportMetrics(LAST_SPAN));
  await Promise.all([findTrace(TRACE, 7), findRows(`/metrics?service=${SERVICE}`, 9)]);
  await waitUntilRated();
  const after = await readNumbers(7);
  expect(after.cost).toEqual(before.cost);
  expect(after.calls).toEqual(before.calls);
  expect(after.logs).toEqual(before.logs);
  expect(after.points.filter((point) => before.points.some(({ at }) => at === point.at))).toEqual(before.points);
  const isOld = ({ spanId: id }: { spanId: string }): boolean => before.detail.spans.some((span) => span.spanId === id);
  expect(after.detail.spans.filter(isOld)).toEqual(before.detail.spans);
  expect(after.detail.anomalies).toEqual(before.detail.anomalies);
  expect(after.traces).toMatchObject([{ calls: before.traces[0]?.calls, costUsd: before.traces[0]?.costUsd }]);
});
