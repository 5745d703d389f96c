import type { LogRow, MetricPointRow, SpanDetail } from "@centspan/model";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPLogExporter as GrpcLogs } from "@opentelemetry/exporter-logs-otlp-grpc";
import { OTLPLogExporter as JsonLogs } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufLogs } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as GrpcMetrics } from "@opentelemetry/exporter-metrics-otlp-grpc";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as GrpcTraces } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import { describe, expect, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { findRows, findTrace } from "../stack/find-rows.ts";
import { createTracing, toGrpc, toHttp, unique } from "./exporting.ts";

describe("OpenTelemetry's trace exporters", () => {
  const exporters: [string, () => SpanExporter][] = [
    ["exporter-trace-otlp-http (JSON)", () => new JsonTraces(toHttp("traces"))],
    ["exporter-trace-otlp-proto", () => new ProtobufTraces(toHttp("traces"))],
    ["exporter-trace-otlp-grpc", () => new GrpcTraces(toGrpc())],
  ];
  it.each(exporters)("%s", async (_name, createExporter) => {
    const provider = createTracing(unique("exported"), new BatchSpanProcessor(createExporter()));
    const tracer = provider.getTracer("e2e");
    const root = tracer.startSpan("root");
    const child = tracer.startSpan(
      "child",
      { links: [{ context: root.spanContext() }] },
      trace.setSpan(context.active(), root),
    );
    child.setAttributes({ text: "가 🙂", whole: 42, part: 0.25, yes: true, list: ["a", "b"] });
    child.addEvent("happened", { why: "test" });
    child.setStatus({ code: SpanStatusCode.ERROR, message: "broke" });
    child.end();
    root.end();
    await provider.shutdown();
    const { traceId, spanId } = child.spanContext();
    const found = await findTrace(traceId, 2);
    expect(found.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ["root", ""],
      ["child", root.spanContext().spanId],
    ]);
    const detail = await getOk<SpanDetail>(`/traces/${traceId}/spans/${spanId}`);
    expect(detail).toMatchObject({
      status: "error",
      attributes: { text: "가 🙂", whole: "42", part: "0.25", yes: "true", list: '["a","b"]' },
      events: [{ name: "happened", attributes: { why: "test" } }],
      links: [{ traceId, spanId: root.spanContext().spanId }],
    });
  });
});

describe("OpenTelemetry's log exporters", () => {
  const exporters: [string, () => LogRecordExporter][] = [
    ["exporter-logs-otlp-http (JSON)", () => new JsonLogs(toHttp("logs"))],
    ["exporter-logs-otlp-proto", () => new ProtobufLogs(toHttp("logs"))],
    ["exporter-logs-otlp-grpc", () => new GrpcLogs(toGrpc())],
  ];
  it.each(exporters)("%s", async (_name, createExporter) => {
    const service = unique("logging");
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ "service.name": service }),
      processors: [new BatchLogRecordProcessor({ exporter: createExporter() })],
    });
    const logger = provider.getLogger("e2e");
    const atMs = Date.now();
    logger.emit({
      timestamp: atMs,
      body: "first",
      severityNumber: 9,
      severityText: "INFO",
      attributes: { "session.id": "s" },
    });
    logger.emit({ timestamp: atMs + 1, body: { nested: [1, "two"] }, eventName: "api_request" });
    await provider.shutdown();
    const rows = await findRows<LogRow>(`/logs?service=${service}`, 2);
    expect(rows).toMatchObject([
      {
        at: expect.stringContaining(new Date(atMs + 1).toISOString().slice(0, 23)),
        eventName: "api_request",
        body: '{"nested":[1,"two"]}',
      },
      { body: "first", severityNumber: 9, severityText: "INFO", attributes: { "session.id": "s" }, scopeName: "e2e" },
    ]);
  });
});

describe("OpenTelemetry's metric exporters", () => {
  const exporters: [string, () => PushMetricExporter][] = [
    ["exporter-metrics-otlp-http (JSON)", () => new JsonMetrics(toHttp("metrics"))],
    ["exporter-metrics-otlp-proto", () => new ProtobufMetrics(toHttp("metrics"))],
    ["exporter-metrics-otlp-grpc", () => new GrpcMetrics(toGrpc())],
  ];
  it.each(exporters)("%s", async (_name, createExporter) => {
    const service = unique("measuring");
    const exporter = createExporter();
    const provider = new MeterProvider({
      resource: resourceFromAttributes({ "service.name": service }),
      readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })],
    });
    const meter = provider.getMeter("e2e");
    meter.createCounter("tokens", { unit: "{token}" }).add(1234, { "gen_ai.token.type": "input" });
    meter.createHistogram("seconds", { advice: { explicitBucketBoundaries: [0.5, 1] } }).record(0.75);
    meter.createGauge("level").record(-2.5);
    // Ends with an export of its own.
    await provider.shutdown();
    const rows = await findRows<MetricPointRow>(`/metrics?service=${service}`, 3);
    expect(rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      { name: "level", type: "gauge", value: "-2.5" },
      {
        name: "seconds",
        type: "histogram",
        count: "1",
        sum: "0.75",
        bounds: ["0.5", "1"],
        bucketValues: ["0", "1", "0"],
      },
      {
        name: "tokens",
        type: "sum",
        value: "1234",
        unit: "{token}",
        monotonic: true,
        temporality: "cumulative",
        attributes: { "gen_ai.token.type": "input" },
      },
    ]);
  });
});
