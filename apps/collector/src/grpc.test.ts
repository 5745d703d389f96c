import { once } from "node:events";
import { connect } from "node:http2";
import { transcodeJson } from "@centspan/ingest";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createTrace,
  MAX_BODY_BYTES,
  openTestCollector,
  type TestCollector,
  waitForSpans,
} from "./testing/open-test-collector.ts";

let collector: TestCollector;
let client: Client;
beforeAll(async () => {
  collector = await openTestCollector({ maxHeldBytes: 150_000 });
  client = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure(), {
    "grpc.default_compression_algorithm": 0,
  });
});
afterAll(async () => {
  client.close();
  await collector.dispose();
});

const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
const METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

type Options = { path?: string; metadata?: Record<string, string>; client?: Client; deadline?: number };
const pass = (bytes: Buffer): Buffer => bytes;

function call(body: Uint8Array, options: Options = {}): Promise<Buffer> {
  const metadata = new Metadata();
  const headers = options.metadata ?? { authorization: `Bearer ${collector.keys.ingest}` };
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return new Promise((resolve, reject) => {
    const via = options.client ?? client;
    const { path = TRACES, deadline = Number.POSITIVE_INFINITY } = options;
    via.makeUnaryRequest(path, pass, pass, Buffer.from(body), metadata, { deadline }, (error, response) => {
      if (error) reject(error);
      else resolve(response ?? Buffer.alloc(0));
    });
  });
}

const fail = (body: Uint8Array, options: Options = {}): Promise<ServiceError> =>
  call(body, options).then(
    () => {
      throw new Error("it was taken");
    },
    (error) => error,
  );

describe("gRPC", () => {
  it("takes spans, plain and compressed", async () => {
    const plain = createTrace();
    expect(await call(plain.protobuf)).toHaveLength(0);
    await waitForSpans(collector, plain.traceId);
    const compressing = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure(), {
      "grpc.default_compression_algorithm": 2,
    });
    const compressed = createTrace(["00000000000000a1"], "x".repeat(10_000));
    await call(compressed.protobuf, { client: compressing });
    await waitForSpans(collector, compressed.traceId);
    compressing.close();
  });

  it("takes logs and metrics", async () => {
    const before = collector.readStatus().accepted;
    const at = "1790000000000000001";
    const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: at }] }] }] };
    const dataPoints = [{ timeUnixNano: at, asInt: "7" }];
    const metrics = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "m", sum: { dataPoints } }] }] }] };
    const { logs: logsBefore, metrics: metricsBefore } = { ...before };
    await call(transcodeJson("logs", Buffer.from(JSON.stringify(logs))).body, { path: LOGS });
    await call(transcodeJson("metrics", Buffer.from(JSON.stringify(metrics))).body, { path: METRICS });
    const after = collector.readStatus().accepted;
    expect([after.logs, after.metrics]).toEqual([logsBefore + 1, metricsBefore + 1]);
  });

  it("says what it refused of a request that it took", async () => {
    const { json } = createTrace(["00000000000000a1"]);
    const bad = JSON.parse(json);
    bad.resourceSpans[0].scopeSpans[0].spans.push({ spanId: "00000000000000a2", name: "no trace id" });
    const response = await call(transcodeJson("traces", Buffer.from(JSON.stringify(bad))).body);
    // ExportTraceServiceResponse { partial_success (1): { rejected_spans (1): 1, error_message (2): … } }
    expect([...response.subarray(0, 5)]).toEqual([0x0a, response.length - 2, 0x08, 1, 0x12]);
    expect(response.toString()).toContain("traceId");
  });

  it("takes a credential as authorization, basic or x-api-key, and needs none from this machine", async () => {
    const empty = new Uint8Array(0);
    expect(await call(empty, { metadata: { "x-api-key": collector.keys.api } })).toHaveLength(0);
    expect(
      await call(empty, { metadata: { authorization: `Basic ${btoa(`p:${collector.keys.ingest}`)}` } }),
    ).toHaveLength(0);
    expect(await call(empty, { metadata: {} })).toHaveLength(0);
    expect(await fail(empty, { metadata: { authorization: "Bearer nope" } })).toMatchObject({
      code: status.UNAUTHENTICATED,
      details: expect.stringContaining("no such key"),
    });
    expect(await fail(empty, { metadata: { "x-api-key": collector.keys.gateway } })).toMatchObject({
      code: status.PERMISSION_DENIED,
    });
    expect(await fail(empty, { metadata: { "x-forwarded-for": "203.0.113.9" } })).toMatchObject({
      code: status.UNAUTHENTICATED,
    });
  });

  it("knows a gateway's spans by the key that brings them", async () => {
    for (const key of [collector.keys.trusted, collector.keys.ingest]) {
      const { traceId, protobuf } = createTrace();
      await call(protobuf, { metadata: { authorization: `Bearer ${key}` } });
      await waitForSpans(collector, traceId);
      const span = await collector.warehouse.readSpan(collector.workspaces.one, traceId, "00000000000000a1");
      expect(span?.trusted).toBe(key === collector.keys.trusted);
    }
  });

  it("answers bad data, unknown services and too much with their codes", async () => {
    expect(await fail(Buffer.from([0x0a, 0x05]))).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(await fail(new Uint8Array(0), { path: "/opentelemetry.Unknown/Export" })).toMatchObject({
      code: status.UNIMPLEMENTED,
    });
    expect(await fail(Buffer.alloc(MAX_BODY_BYTES + 1))).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    const compressing = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure(), {
      "grpc.default_compression_algorithm": 2,
    });
    expect(await fail(Buffer.alloc(MAX_BODY_BYTES * 100), { client: compressing })).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    compressing.close();
  });

  it("says when to come again where it has no room", async () => {
    const body = createTrace(["00000000000000a1"], "x".repeat(100_000)).protobuf;
    const results = await Promise.allSettled([call(body), call(body), call(body)]);
    const refused = results.find((result) => result.status === "rejected");
    expect(refused?.reason).toMatchObject({ code: status.UNAVAILABLE });
    const [details] = refused?.reason.metadata.get("grpc-status-details-bin") ?? [];
    expect(details.toString()).toContain("google.rpc.RetryInfo");
    expect(results.some((result) => result.status === "fulfilled")).toBe(true);
  });

  it("reads so many messages at once, and the next when one has come or its sender is gone", async () => {
    const session = connect(collector.grpcUrl);
    await once(session, "connect");
    const stalled = Array.from({ length: 64 }, () => {
      const stream = session.request({
        ":method": "POST",
        ":path": TRACES,
        "content-type": "application/grpc",
        te: "trailers",
      });
      stream.on("error", () => undefined);
      stream.write(Buffer.from([0, 0, 0, 0, 9, 1]));
      return stream;
    });
    await new Promise((resolve) => session.ping(resolve));
    const { protobuf } = createTrace();
    expect(await fail(protobuf, { deadline: Date.now() + 500 })).toMatchObject({ code: status.DEADLINE_EXCEEDED });
    const waiting = call(protobuf);
    stalled[0]?.close();
    expect(await waiting).toHaveLength(0);
    session.destroy();
    expect(await Promise.all(Array.from({ length: 80 }, () => call(new Uint8Array(0))))).toHaveLength(80);
  });

  it("counts its requests as HTTP's", () => {
    const { requests } = collector.readStatus();
    expect(requests.traces).toMatchObject({ unauthenticated: 2, forbidden: 1, invalid_request: 1 });
    expect(requests.traces.ok).toBeGreaterThan(5);
  });
});
