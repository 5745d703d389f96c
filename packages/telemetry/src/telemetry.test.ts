import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createTraceId,
  describeVocabulary,
  endSpan,
  readTraceContext,
  SPANS,
  startSpan,
  startTelemetry,
  type Telemetry,
  withSpan,
  writeTraceContext,
} from "./index.ts";

const received: { url: string; auth: string; bytes: number }[] = [];
const server = createServer((request, response) => {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on("end", () => {
    received.push({ url: request.url ?? "", auth: request.headers.authorization ?? "", bytes });
    response.setHeader("content-type", "application/x-protobuf").end();
  });
});
let telemetry: Telemetry;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  telemetry = startTelemetry({ service: "test", version: "0", otlpUrl: `http://127.0.0.1:${port}`, ingestKey: "k" });
});
afterAll(async () => {
  await telemetry.stop();
  server.close();
});

it("delivers spans with the credential once flushed", async () => {
  await withSpan(telemetry.tracer, "loop.turn", { attributes: { "centspan.turn.number": 1 } }, () => undefined);
  await telemetry.flush();
  expect(received[0]).toMatchObject({ url: "/v1/traces", auth: "Bearer k" });
  expect(received[0]?.bytes).toBeGreaterThan(50);
});

it("carries trace context through headers", () => {
  const span = startSpan(telemetry.tracer, "chat {model}", { subject: "m" });
  const child = startSpan(telemetry.tracer, "inference.queue", { parent: readTraceContext(writeTraceContext(span)) });
  expect(child.spanContext().traceId).toBe(span.spanContext().traceId);
  endSpan(child);
  endSpan(span, 5n);
});

it("passes on the trace, and nothing else that a caller said of itself", async () => {
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-00`;
  const parent = readTraceContext({ traceparent, tracestate: "x=1", baggage: "user=alice" });
  const sent = await withSpan(telemetry.tracer, "chat {model}", { parent, subject: "m" }, writeTraceContext);
  expect(sent).toEqual({ traceparent: expect.stringMatching(/^00-a{32}-[0-9a-f]{16}-01$/), tracestate: "x=1" });
});

it("describes every span", () => {
  for (const name of Object.keys(SPANS)) expect(describeVocabulary()).toContain(`\`${name}\``);
});

it("puts spans without a parent side by side into a chosen trace, and only those", () => {
  const traceId = createTraceId();
  const spans = [1, 2].map(() => startSpan(telemetry.tracer, "inference.decode.step", { traceId }));
  expect(spans.map((span) => span.spanContext().traceId)).toEqual([traceId, traceId]);
  const other = startSpan(telemetry.tracer, "inference.decode.step", { parent: ROOT_CONTEXT });
  expect(other.spanContext().traceId).not.toBe(traceId);
  for (const span of [...spans, other]) endSpan(span);
});
