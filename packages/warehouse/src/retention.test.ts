import { expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { exportSignals } from "./testing/export-signals.ts";
import { HOUR_NS, makeCall, makeSpan, NOON_NS, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
const PAGE = { limit: 100, cursor: null };

const listTraces = async (workspace: string) =>
  (await test.warehouse.listTraces(workspace, {}, PAGE)).data.map(({ traceId: id, name, spans }) => [id, name, spans]);

it("forgets spans of one workspace and what was worked out from them, and keeps what they cost", async () => {
  for (const workspace of ["red", "blue"]) {
    await test.warehouse.insertSpans(workspace, [
      makeSpan({ startedAtNs: NOON_NS - HOUR_NS }),
      makeSpan({ spanId: spanId(2), parentSpanId: spanId(1), name: "late", startedAtNs: NOON_NS }),
      makeSpan({ traceId: traceId(2), startedAtNs: NOON_NS - 1n }),
      makeSpan({ traceId: traceId(3), startedAtNs: NOON_NS }),
    ]);
    await test.warehouse.insertCalls(workspace, [makeCall("c", { traceId: traceId(2), atNs: NOON_NS - 1n })]);
  }
  const before = await listTraces("blue");
  expect(await test.warehouse.deleteBefore("red", "traces", NOON_NS)).toBe(2);
  expect(await listTraces("red")).toEqual([
    [traceId(3), "invoke_agent repair", 1],
    [traceId(1), "late", 1],
  ]);
  expect(await test.warehouse.readTrace("red", traceId(2))).toEqual({ spans: [], conflictingSpanIds: [] });
  expect((await test.warehouse.listCalls("red", {}, PAGE)).data).toHaveLength(1);
  expect(await listTraces("blue")).toEqual(before);
  expect(await test.warehouse.deleteBefore("red", "traces", NOON_NS)).toBe(0);
});

it("forgets logs and metrics by when they happened", async () => {
  const points = [1, 2, 3].map((at) => ({ timeUnixNano: `${at}`, asInt: `${at}` }));
  const logRecords = [1, 2, 3].map((at) => ({ timeUnixNano: `${at}`, body: { stringValue: `${at}` } }));
  await exportSignals(test.warehouse, "w", "logs", [{ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }]);
  await exportSignals(test.warehouse, "w", "metrics", [
    { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "m", gauge: { dataPoints: points } }] }] }] },
  ]);
  expect(await test.warehouse.deleteBefore("w", "logs", 3n)).toBe(2);
  expect(await test.warehouse.deleteBefore("w", "metrics", 2n)).toBe(1);
  expect((await test.warehouse.listLogs("w", {}, PAGE)).data.map(({ body }) => body)).toEqual(["3"]);
  expect((await test.warehouse.listMetricPoints("w", {}, PAGE)).data.map(({ value }) => value)).toEqual(["3", "2"]);
});

it("drops a month as a whole where all of it is old, and only there", async () => {
  const insert = (workspace: string, trace: number, received: string, startedAt: string) =>
    test.connection.command(
      `INSERT INTO spans (workspace, trace_id, span_id, received_at, started_at) VALUES
       ('${workspace}', '${traceId(trace)}', '${spanId(1)}', '${received}', '${startedAt}')`,
    );
  await insert("own", 11, "2025-01-15 00:00:00", "2025-01-15 00:00:00");
  await insert("own", 12, "2025-02-15 00:00:00", "2025-02-15 00:00:00");
  await insert("other", 13, "2025-02-15 00:00:00", "2025-02-15 00:00:00");
  await insert("own", 14, "2025-03-15 00:00:00", "2026-12-01 00:00:00");
  const partitions = async () =>
    test.connection.query<{ partition: string; rows: string }>(
      `SELECT partition, sum(rows) AS rows FROM system.parts
       WHERE database = currentDatabase() AND table = 'spans' AND active AND partition < '202600'
       GROUP BY partition ORDER BY partition`,
    );
  expect((await partitions()).map(({ partition }) => partition)).toEqual(["202501", "202502", "202503"]);
  expect(await test.warehouse.deleteBefore("own", "traces", NOON_NS)).toBe(2);
  expect((await partitions()).map(({ partition }) => partition)).toEqual(["202502", "202503"]);
  const left = await test.connection.query("SELECT trace_id FROM spans WHERE workspace IN ('own', 'other') ORDER BY 1");
  expect(left).toEqual([{ trace_id: traceId(13) }, { trace_id: traceId(14) }]);
});
