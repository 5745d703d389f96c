/** The official exporters, by way of our own set-up: what services of ours send, and what the collector says of itself. */
import { startMetrics, startTelemetry, withSpan } from "@centspan/telemetry";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportMetrics } from "./report-metrics.ts";
import { openTestCollector, type TestCollector, waitForSpans } from "./testing/open-test-collector.ts";

let collector: TestCollector;
beforeAll(async () => {
  collector = await openTestCollector();
});
afterAll(() => collector.dispose());

it("spans", async () => {
  const telemetry = startTelemetry({
    service: "test",
    version: "1",
    otlpUrl: collector.url,
    ingestKey: collector.keys.ingest,
  });
  let traceId = "";
  await withSpan(telemetry.tracer, "loop.turn", { attributes: { "centspan.turn.number": 1 } }, (span) => {
    traceId = span.spanContext().traceId;
  });
  await telemetry.stop();
  await waitForSpans(collector, traceId);
  const { spans } = await collector.warehouse.readTrace(collector.workspaces.one, traceId);
  expect(spans[0]).toMatchObject({ name: "loop.turn", service: "test", layer: "harness" });
});

it("metrics of the collector itself, one series for each thing that was counted", async () => {
  const metrics = startMetrics({
    service: "centspan-collector",
    version: "1",
    otlpUrl: collector.url,
    ingestKey: collector.keys.ingest,
    everyMs: 3_600_000,
  });
  reportMetrics(metrics, collector.readStatus);
  await metrics.flush();
  const { traces, metrics: points } = collector.readStatus().accepted;
  expect(traces).toBe(1);
  // Requests and acceptances of what was sent by then, and everything that has a value from the start.
  expect(points).toBeGreaterThanOrEqual(14);
  await metrics.stop();
  await waitUntil("all are stored", () => collector.readStatus().spool.frames === 0);
  expect(collector.readStatus().loader.insertedRows.metrics).toBe(collector.readStatus().accepted.metrics);
  expect(collector.readStatus().requests.metrics).toEqual({ ok: 2 });
  expect(collector.faults).toEqual([]);
});
