import { Client } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Delivery, deliver } from "../otlp/exporter.ts";
import { createBatchWriter } from "../otlp/span-batch.ts";
import { countBatches } from "../stack/count-batches.ts";
import { type IngestStack, startIngestStack } from "../stack/ingest-stack.ts";
import { until } from "../stack/processes.ts";

const SPOOL_BYTES = 8 * 1024 ** 2;
const MAX_BATCHES = 500;
const REFUSED = 5;

let stack: IngestStack;
beforeAll(async () => {
  stack = await startIngestStack({ CENTSPAN_SPOOL_MAX_BYTES: String(SPOOL_BYTES) });
});
afterAll(() => stack?.end());

it("keeps taking spans while the store is away until the spool is full, says 503 then, and has all of them once it is back", async () => {
  const client = new Client(stack.otlpUrl, { pipelining: 1 });
  const writer = createBatchWriter(BigInt(Date.now()) * 1_000_000n);
  const send = (batch: number, mayRetry: () => boolean): Promise<Delivery> =>
    deliver(client, { path: "/v1/traces", body: writer.write(batch) }, { backoffMs: 100, mayRetry });
  const once = () => false;

  await stack.store.end("SIGKILL");
  const acked: number[] = [];
  const refused: Delivery[] = [];
  for (let batch = 0; refused.length < REFUSED; batch += 1) {
    expect(batch, `a spool of ${SPOOL_BYTES} bytes is never full`).toBeLessThan(MAX_BATCHES);
    const delivery = await send(batch, once);
    if (delivery.taken) acked.push(batch);
    else refused.push(delivery);
  }
  const bodyBytes = writer.write(0).length;
  expect(acked.length, "batches taken while the store is away").toBeGreaterThan(1);
  // A block is smaller than the body it is made of, but not by so much.
  expect(acked.length * bodyBytes, "bytes taken into the spool").toBeLessThan(SPOOL_BYTES * 8);
  expect(refused.map(({ refusals, announced }) => ({ refusals, announced }))).toEqual(
    refused.map(() => ({ refusals: 1, announced: 1 })),
  );
  expect(stack.collector.running.child.exitCode).toBeNull();

  await stack.store.start();
  const deadlineMs = performance.now() + 60_000;
  const later = Array.from({ length: REFUSED * 2 }, (_, index) => (acked.at(-1) ?? 0) + 1 + index);
  for (const batch of later) {
    const { taken } = await send(batch, () => performance.now() < deadlineMs);
    expect(taken, "a batch that was refused is taken when the store is back").toBe(true);
    acked.push(batch);
  }
  await client.close();
  const found = await until("every acknowledged span is found", async () => {
    const count = await countBatches(stack, acked);
    return count.lost === 0 ? count : undefined;
  });
  expect(found.conflicts).toBe(0);
}, 180_000);
