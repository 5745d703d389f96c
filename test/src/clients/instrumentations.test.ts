import type { CallRow, SpanDetail } from "@centspan/model";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startObservation } from "@langfuse/tracing";
import { context, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { OpenAIInstrumentation } from "@traceloop/instrumentation-openai";
import { generateText } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import OpenAI from "openai";
import { expect, inject, it } from "vitest";
import { getOk } from "../stack/api.ts";
import { findRows, findTrace } from "../stack/find-rows.ts";
import { createTracing, toHttp, unique } from "./exporting.ts";

const toCollector = (): SpanProcessor => new BatchSpanProcessor(new OTLPTraceExporter(toHttp("traces")));

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
  const calls = await findRows<CallRow>(`/calls?traceId=${traceId}`, 1);
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
  const calls = await findRows<CallRow>(`/calls?traceId=${generation.traceId}`, 1);
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
  expect(found.spans.map((span) => span.name)).toEqual(["request", "chat scripted-cheap"]);
  const span = found.spans[1];
  const seen = await getOk<SpanDetail>(`/traces/${span?.traceId}/spans/${span?.spanId}`);
  expect(Number(seen.attributes["gen_ai.usage.input_tokens"])).toBe(answer.usage?.prompt_tokens);
  // The client's account of the call counts only until the gateway's is there.
  const mine = (call: CallRow) => call.responseId === answer.id || call.traceId === span?.traceId;
  const isAlone = (rows: CallRow[]) => rows.filter(mine).length === 1 && rows.find(mine)?.source === "gateway";
  const call = (await findRows<CallRow>("/calls?model=scripted-cheap", 1, isAlone)).find(mine);
  const { input, cacheRead, outputText, outputReasoning } = call?.buckets ?? {};
  expect((input ?? 0) + (cacheRead ?? 0)).toBe(answer.usage?.prompt_tokens);
  expect((outputText ?? 0) + (outputReasoning ?? 0)).toBe(answer.usage?.completion_tokens);
});
