import { createServer, type ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { endSpan, startSpan, startTelemetry } from "./index.ts";

/** A collector that answers as it is told to. */
type Received = { spans: number; bytes: number };
const received: Received[] = [];
let answer = (response: ServerResponse): unknown => response.end();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    received.push({ spans: body.toString("latin1").split("centspan.layer").length - 1, bytes: body.length });
    answer(response);
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve())));
afterAll(() => server.close());
afterEach(() => {
  received.length = 0;
  vi.restoreAllMocks();
});

const spansReceived = () => received.reduce((sum, { spans }) => sum + spans, 0);

/** Longer than what the exporter waits for itself: it gives the batch back at once. */
const isAway = (response: ServerResponse) => response.writeHead(503, { "retry-after": "60" }).end();

function start() {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { tracer, flush, stop } = startTelemetry({
    ...{ service: "test", version: "0", otlpUrl: `http://127.0.0.1:${port}`, ingestKey: "" },
    parentsAreGiven: true,
  });
  const said: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  const endSpans = (count: number, text = "a key of some length ".repeat(5)) => {
    for (let at = 0; at < count; at++) {
      endSpan(startSpan(tracer, "api.parse", { attributes: { "centspan.key.name": text } }));
    }
  };
  return { endSpans, flush, stop, said };
}

it("sends while others are still to be acknowledged, and flushes when all of them are", async () => {
  const unanswered: ServerResponse[] = [];
  answer = (response) => unanswered.push(response);
  const { endSpans, flush, stop } = start();
  endSpans(5_000);
  let flushed = false;
  const flushing = flush().then(() => {
    flushed = true;
  });
  await expect.poll(() => unanswered.length, { timeout: 30_000 }).toBeGreaterThan(2);
  await expect.poll(spansReceived, { timeout: 30_000 }).toBe(5_000);
  expect(flushed).toBe(false);
  for (const response of unanswered) response.end();
  await flushing;
  await stop();
});

it("keeps what a collector can't take for the moment, says so once, and sends it when it is back", async () => {
  answer = isAway;
  const { endSpans, flush, stop, said } = start();
  for (let outage = 0; outage < 3; outage++) {
    endSpans(10);
    await flush();
  }
  expect(said).toEqual([expect.stringContaining("takes no spans now")]);
  answer = (response) => response.end();
  received.length = 0;
  await flush();
  expect(spansReceived()).toBe(30);
  await stop();
  expect(spansReceived()).toBe(30);
  expect(said).toHaveLength(1);
});

it("sends what waits in requests of a size that a collector takes", async () => {
  const unanswered: ServerResponse[] = [];
  answer = (response) => unanswered.push(response);
  const { endSpans, flush, stop } = start();
  endSpans(300, "k".repeat(100_000));
  const flushing = flush();
  await expect.poll(() => unanswered.length, { timeout: 30_000 }).toBe(16);
  answer = (response) => response.end();
  for (const response of unanswered) response.end();
  await flushing;
  expect(spansReceived()).toBe(300);
  expect(Math.max(...received.map(({ bytes }) => bytes))).toBeLessThan(512 * 1024);
  await stop();
});

it("does not send again what is refused for good, and counts it", async () => {
  answer = (response) => response.writeHead(413, "Payload Too Large").end();
  const { endSpans, flush, stop, said } = start();
  endSpans(10);
  await flush();
  answer = (response) => response.end();
  await stop();
  expect(spansReceived()).toBe(10);
  expect(said).toEqual(["telemetry: 10 spans were not delivered: Payload Too Large\n"]);
});

it("ends with a collector that is away, and counts what it leaves", async () => {
  answer = isAway;
  const { endSpans, flush, stop, said } = start();
  endSpans(10);
  await flush();
  endSpans(5_000);
  await stop();
  const lost = said.flatMap((text) => /(\d+) spans were not delivered/.exec(text)?.[1] ?? []);
  expect(lost.reduce((sum, spans) => sum + Number(spans), 0)).toBe(5_010);
});
