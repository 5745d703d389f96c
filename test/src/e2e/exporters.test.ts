import type { CallRow, LogRow, MetricPointRow, SpanDetail, TraceDetail } from "@centspan/model";
import { Metadata } from "@grpc/grpc-js";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startObservation } from "@langfuse/tracing";
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
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { OpenAIInstrumentation } from "@traceloop/instrumentation-openai";
import { generateText } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import OpenAI from "openai";
import { describe, expect, inject, it } from "vitest";
import { getApi, getOk, listAll } from "../stack/api.ts";
import { until } from "../stack/processes.ts";

const PATIENCE_MS = 45_000;
const unique = (name: string): string => `${name}-${Math.trunc(Math.random() * 1e9)}`;

/** Where and with which key an exporter of each kind sends. */
const toHttp = (signal: string) => ({
  url: `${inject("connection").otlpUrl}/v1/${signal}`,
  headers: { authorization: `Bearer ${inject("connection").ingestKey}` },
});
const toGrpc = () => {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${inject("connection").ingestKey}`);
  return { url: inject("connection").otlpGrpcUrl, metadata };
};

function createTracing(service: string, processor: SpanProcessor): NodeTracerProvider {
  const resource = resourceFromAttributes({ "service.name": service });
  return new NodeTracerProvider({ resource, spanProcessors: [processor] });
}
const toCollector = (): SpanProcessor => new BatchSpanProcessor(new ProtobufTraces(toHttp("traces")));

const findTrace = (traceId: string, spans: number): Promise<TraceDetail> =>
  until(
    `trace ${traceId} with ${spans} spans`,
    async () => {
      const { status, body } = await getApi(`/traces/${traceId}`);
      const found = body as TraceDetail;
      return status === 200 && found.spans.length >= spans ? found : undefined;
    },
    PATIENCE_MS,
  );

const findCalls = (query: string): Promise<CallRow[]> =>
  until(
    `calls of ${query}`,
    async () => {
      const calls = await listAll<CallRow>(`/calls?${query}`);
      return calls.length > 0 ? calls : undefined;
    },
    PATIENCE_MS,
  );

const findRows = <Row>(path: string, count: number): Promise<Row[]> =>
  until(
    `${count} rows of ${path}`,
    async () => {
      const rows = await listAll<Row>(path);
      return rows.length >= count ? rows : undefined;
    },
    PATIENCE_MS,
  );

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

describe("what people instrument their models with", () => {
  it("the AI SDK: its generation is one call, its wrapper none", async () => {
    const provider = createTracing(unique("ai-sdk"), toCollector());
    const tokens = {
      inputTokens: { total: 120, noCache: 80, cacheRead: 40, cacheWrite: 0 },
      outputTokens: { total: 30, text: 30, reasoning: 0 },
    };
    const model = new MockLanguageModelV3({
      provider: "openai",
      modelId: "gpt-4o",
      doGenerate: {
        content: [{ type: "text", text: "hello" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: tokens,
        warnings: [],
      },
    });
    const tracer = provider.getTracer("ai");
    const root = tracer.startSpan("request");
    const inRoot = trace.setSpan(context.active(), root);
    provider.register();
    await context.with(inRoot, () =>
      generateText({ model, prompt: "hi", experimental_telemetry: { isEnabled: true, tracer } }),
    );
    root.end();
    await provider.shutdown();
    trace.disable();
    context.disable();
    const { traceId } = root.spanContext();
    const found = await findTrace(traceId, 3);
    expect(found.spans.map((span) => span.name)).toEqual(["request", "ai.generateText", "ai.generateText.doGenerate"]);
    const calls = await findCalls(`traceId=${traceId}`);
    expect(calls).toMatchObject([{ model: "gpt-4o", buckets: { input: 80, cacheRead: 40, outputText: 30 } }]);
  });

  it("Langfuse's SDK, with a key as its secret key", async () => {
    const { otlpUrl, ingestKey } = inject("connection");
    const processor = new LangfuseSpanProcessor({ publicKey: "pk-lf-any", secretKey: ingestKey, baseUrl: otlpUrl });
    const provider = createTracing(unique("langfuse"), processor);
    setLangfuseTracerProvider(provider);
    const generation = startObservation(
      "answer",
      { model: "gpt-4o", input: "hi", output: "hello", usageDetails: { input: 70, output: 11 } },
      { asType: "generation" },
    );
    generation.end();
    await processor.forceFlush();
    await provider.shutdown();
    setLangfuseTracerProvider(null);
    const found = await findTrace(generation.traceId, 1);
    expect(found.spans.map((span) => span.name)).toEqual(["answer"]);
    const calls = await findCalls(`traceId=${generation.traceId}`);
    expect(calls).toMatchObject([{ model: "gpt-4o", buckets: { input: 70, outputText: 11 } }]);
  });

  it("OpenLLMetry around OpenAI's SDK, through our gateway: seen twice, counted once", async () => {
    const { gatewayUrl, gatewayKey } = inject("connection");
    const provider = createTracing(unique("openllmetry"), toCollector());
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(provider);
    instrumentation.manuallyInstrument(OpenAI);
    const client = new OpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: gatewayKey });
    const root = provider.getTracer("e2e").startSpan("request");
    provider.register();
    const answer = await context.with(trace.setSpan(context.active(), root), () =>
      client.chat.completions.create({ model: "scripted-cheap", messages: [{ role: "user", content: "Say hello." }] }),
    );
    root.end();
    await provider.shutdown();
    trace.disable();
    context.disable();
    const found = await findTrace(root.spanContext().traceId, 2);
    expect(found.spans.map((span) => span.name)).toEqual(["request", "openai.chat"]);
    const calls = await until(
      "the gateway's call",
      async () => {
        const all = await listAll<CallRow>("/calls?model=scripted-cheap", 1000);
        const mine = all.filter((call) => call.responseId === answer.id);
        return mine.some((call) => call.source === "gateway") ? mine : undefined;
      },
      PATIENCE_MS,
    );
    expect(calls).toHaveLength(1);
    const { input, cacheRead, outputText, outputReasoning } = calls[0]?.buckets ?? {};
    expect((input ?? 0) + (cacheRead ?? 0)).toBe(answer.usage?.prompt_tokens);
    expect((outputText ?? 0) + (outputReasoning ?? 0)).toBe(answer.usage?.completion_tokens);
  });
});
