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
  const versions = await test.connection.query(
    "SELECT version, count() AS times FROM schema_migrations GROUP BY version",
  );
  expect(versions).toEqual([{ version: 1, times: "1" }]);
});
