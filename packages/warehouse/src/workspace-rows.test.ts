import { EXPORTED_TABLES, type WorkspaceRows } from "@centspan/model";
import { expect, it } from "vitest";
import { TABLES } from "./schema.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { exportSignals } from "./testing/export-signals.ts";
import { makeCall, makeLine, makeOutcome, makeSpan, makeWasteItem } from "./testing/records.ts";

const test = useWarehouse();

async function fill(workspace: string): Promise<void> {
  const { warehouse } = test;
  await warehouse.insertSpans(workspace, [makeSpan({ name: workspace })]);
  await warehouse.insertCalls(workspace, [makeCall("call", { task: "task", runId: "run", lines: [makeLine({})] })]);
  await warehouse.insertOutcomes(workspace, [makeOutcome("outcome", { source: workspace })]);
  await warehouse.replaceWaste(workspace, new Map([["run run", [makeWasteItem(1, {})]]]));
  await exportSignals(warehouse, workspace, "logs", [
    { resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: "1", body: { stringValue: workspace } }] }] }] },
  ]);
}

async function listAll(workspace: string, table: Parameters<WorkspaceRows["exportRows"]>[1]): Promise<object[]> {
  const rows: object[] = [];
  for await (const some of test.warehouse.exportRows(workspace, table)) rows.push(...some);
  return rows;
}

it("gives each row once, of one workspace alone, and deletes them all, again and again", async () => {
  await Promise.all([fill("kept"), fill("ended")]);
  await fill("ended");
  const before = await Promise.all(
    EXPORTED_TABLES.map(async (table) => [table, (await listAll("ended", table)).length]),
  );
  expect(Object.fromEntries(before)).toMatchObject({ spans: 1, logs: 1, calls: 1, outcomes: 1, waste_items: 1 });
  expect(JSON.stringify(await listAll("ended", "spans"))).not.toContain("kept");
  for (const _time of [1, 2]) await test.warehouse.deleteWorkspaceRows("ended");
  for (const { name } of TABLES) {
    const count = (workspace: string) =>
      test.connection.query(`SELECT count() AS n FROM ${name} WHERE workspace = '${workspace}'`);
    expect([name, await count("ended")]).toEqual([name, [{ n: "0" }]]);
  }
  expect(await listAll("kept", "calls")).toHaveLength(1);
});
