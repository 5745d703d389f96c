import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endSpan, startSpan, startTelemetry } from "./index.ts";

/** A collector that acknowledges when it is told to. */
const unanswered: ServerResponse[] = [];
let received = 0;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received += Buffer.concat(chunks).toString("latin1").split("centspan.layer").length - 1;
    unanswered.push(response);
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve())));
afterAll(() => server.close());

it("sends while others are still to be acknowledged, and flushes when all of them are", async () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { tracer, flush, stop } = startTelemetry({
    ...{ service: "test", version: "0", otlpUrl: `http://127.0.0.1:${port}`, ingestKey: "" },
    parentsAreGiven: true,
  });
  const count = 5_000;
  for (let at = 0; at < count; at++) {
    const attributes = { "centspan.key.name": "a key of some length ".repeat(5) };
    endSpan(startSpan(tracer, "api.parse", { attributes }));
  }
  let flushed = false;
  const flushing = flush().then(() => {
    flushed = true;
  });
  await expect.poll(() => unanswered.length, { timeout: 5_000 }).toBeGreaterThan(2);
  await expect.poll(() => received, { timeout: 5_000 }).toBe(count);
  expect(flushed).toBe(false);
  for (const response of unanswered) response.end();
  await flushing;
  await stop();
});
