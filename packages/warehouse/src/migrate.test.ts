import { afterEach, expect, it } from "vitest";
import { openWarehouse } from "./index.ts";
import { TABLES } from "./schema.ts";
import { createWarehouse, type TestWarehouse } from "./testing/create-warehouse.ts";
import { makeSpan, spanId, traceId } from "./testing/records.ts";

let test: TestWarehouse;
afterEach(() => test.drop());

it("makes the database and tables that the schema describes, from several processes at once", async () => {
  test = createWarehouse();
  const several = Array.from({ length: 5 }, () => openWarehouse({ url: test.url }));
  await Promise.all(several.map((one) => one.migrate()));
  await Promise.all(several.map((one) => one.close()));
  const live = await test.connection.query<{ table: string; name: string; type: string }>(
    "SELECT table, name, type FROM system.columns WHERE database = currentDatabase() AND table != 'schema_migrations' ORDER BY table, position",
  );
  const described = [...TABLES]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((table) => table.columns.map(({ name, type }) => ({ table: table.name, name, type })));
  expect(live).toEqual(described);
});

it("changes nothing when repeated", async () => {
  test = createWarehouse();
  await test.warehouse.migrate();
  await test.warehouse.insertSpans("w", [makeSpan()]);
  await test.warehouse.migrate();
  expect(await test.warehouse.readSpan("w", traceId(1), spanId(1))).toEqual(makeSpan());
  const versions = await test.connection.query<{ version: number; times: string }>(
    "SELECT version, count() AS times FROM schema_migrations GROUP BY version",
  );
  expect(versions.length).toBeGreaterThan(1);
  expect(versions.every(({ times }) => times === "1")).toBe(true);
});

it("brings a database of the first version up to date, with the spans it holds", async () => {
  test = createWarehouse();
  await test.warehouse.migrate();
  for (const statement of [
    "ALTER TABLE spans DROP COLUMN may_be_call",
    "ALTER TABLE spans ADD COLUMN has_usage Bool MATERIALIZED notEmpty(attributes)",
    "DELETE FROM schema_migrations WHERE version > 1",
  ]) {
    await test.connection.command(statement);
  }
  await test.warehouse.insertSpans("w", [makeSpan({ attributes: { "gen_ai.operation.name": "chat" } })]);
  await test.warehouse.migrate();
  expect(await test.warehouse.readUsageSpans("w", traceId(1))).toHaveLength(1);
  expect(
    await test.connection.query(
      "SELECT name FROM system.columns WHERE name = 'has_usage' AND database = currentDatabase()",
    ),
  ).toEqual([]);
});
