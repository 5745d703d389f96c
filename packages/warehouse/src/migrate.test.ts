import { formatInstant } from "@centspan/base";
import { afterEach, describe, expect, it } from "vitest";
import type { Connection } from "./connection.ts";
import { openWarehouse } from "./index.ts";
import { migrateWarehouse } from "./migrate.ts";
import { TABLES } from "./schema.ts";
import { createWarehouse, type TestWarehouse } from "./testing/create-warehouse.ts";
import { makeOldDatabase, type OldSpan } from "./testing/old-database.ts";
import { makeSpan, spanId, traceId } from "./testing/records.ts";

let test: TestWarehouse;
afterEach(() => test.drop());

const readShape = (connection: Connection, tables: readonly string[]) =>
  connection.query<{ table: string; name: string; type: string }>(
    `SELECT table, name, type FROM system.columns
     WHERE database = currentDatabase() AND table IN {tables:Array(String)} ORDER BY table, position`,
    { tables },
  );
const described = [...TABLES]
  .sort((a, b) => (a.name < b.name ? -1 : 1))
  .flatMap((table) => table.columns.map(({ name, type }) => ({ table: table.name, name, type })));
const names = TABLES.map(({ name }) => name);

it("makes the database and tables that the schema describes, from several processes at once", async () => {
  test = createWarehouse();
  const several = Array.from({ length: 5 }, () => openWarehouse({ url: test.url }));
  await Promise.all(several.map((one) => one.migrate()));
  await Promise.all(several.map((one) => one.close()));
  expect(await readShape(test.connection, names)).toEqual(described);
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

it("of spans that came before credentials were told apart, a gateway's are those that called themselves one", async () => {
  test = createWarehouse();
  await test.warehouse.migrate();
  const before = "18446744073709551615 - toUInt64(toUnixTimestamp64Nano(received_at))";
  await test.connection.command(`ALTER TABLE spans MODIFY COLUMN precedence UInt64 MATERIALIZED ${before}`);
  await test.connection.command("ALTER TABLE spans DROP COLUMN trusted");
  await test.connection.command("DELETE FROM schema_migrations WHERE version = 13");
  const services = ["centspan-gateway", "app"];
  await test.connection.insert(
    "spans",
    services.map((service, n) => ({ workspace: "w", trace_id: traceId(1), span_id: spanId(n + 1), service })),
  );
  await test.warehouse.migrate();
  expect(await readShape(test.connection, names)).toEqual(described);
  const read = async (n: number) => (await test.warehouse.readSpan("w", traceId(1), spanId(n)))?.trusted;
  expect([await read(1), await read(2)]).toEqual([true, false]);
  // From now on nobody becomes one by a name, and nobody takes the place of what was there.
  await test.warehouse.insertSpans("w", [
    makeSpan({ service: "centspan-gateway" }),
    makeSpan({ spanId: spanId(3), service: "centspan-gateway" }),
  ]);
  expect([await read(1), await read(3)]).toEqual([true, false]);
  expect((await test.warehouse.readSpan("w", traceId(1), spanId(1)))?.name).toBe("");
});

/** Two deliveries of one span with different content, and two spans of far months. */
const OLD_SPANS: OldSpan[] = [
  { span: 1, name: "first", hash: "9", started: "2026-01-31", received: "2026-11-02 00:00:00.000000001" },
  { span: 1, name: "second", hash: "1", started: "2026-01-31", received: "2026-11-02 00:00:00.000000002" },
  { span: 2, name: "far", hash: "2", started: "1999-12-31", received: "2026-11-02 00:00:00" },
  { span: 3, name: "chat", hash: "3", started: "2026-10-05", received: "2026-10-05 00:00:00" },
].map(({ span, name, hash, started, received }) => ({
  trace_id: traceId(1),
  span_id: spanId(span),
  name,
  content_hash: hash,
  started_at: `${started} 12:00:00`,
  received_at: received,
  attributes: { "gen_ai.operation.name": name, "centspan.task.id": `task ${name}`, "thread.id": "s" },
}));

describe("an old database", () => {
  const check = async () => {
    expect(await readShape(test.connection, names)).toEqual(described);
    const { spans, conflictingSpanIds } = await test.warehouse.readTrace("w", traceId(1));
    expect(spans.map(({ name }) => name)).toEqual(["far", "first", "chat"]);
    expect(conflictingSpanIds).toEqual([spanId(1)]);
    const lifted = await test.connection.query(
      `SELECT name, toString(received_at) AS received, task, session_id, layer, may_be_call FROM spans FINAL
       WHERE span_id = {id:String}`,
      { id: spanId(3) },
    );
    const received = "2026-10-05 00:00:00.000000000";
    expect(lifted).toEqual([
      { name: "chat", received, task: "task chat", session_id: "s", layer: "other", may_be_call: true },
    ]);
    const calls = await test.warehouse.readCalls("w", ["moved", "withdrawn"]);
    expect(calls.map(({ callId, atNs, lines }) => [callId, formatInstant(atNs), lines.length])).toEqual([
      ["moved", "2026-11-01T00:00:00.000000000Z", 1],
    ]);
    expect(calls[0]?.lines[0]).toMatchObject({
      meter: "input",
      quantity: 2,
      priceEntryId: "entry",
      ratingRunId: "run",
    });
    const days = await test.connection.query("SELECT toString(from_at) AS day FROM cost_days FINAL");
    expect(days).toEqual([{ day: "2026-11-01 00:00:00.000000000" }]);
    const { data } = await test.warehouse.listTraces("w", {}, { limit: 10, cursor: null });
    expect(data).toMatchObject([{ traceId: traceId(1), name: "far", task: "task far", spans: 3 }]);
    const [stored] = await test.connection.query("SELECT count() AS rows FROM spans FINAL");
    expect(stored).toEqual({ rows: "4" });
  };

  it.each([1, 2] as const)("of version %i comes up to date with the spans it holds", async (version) => {
    test = createWarehouse();
    await makeOldDatabase(test.connection, version, OLD_SPANS);
    await test.warehouse.migrate();
    await check();
    await test.warehouse.migrate();
    await check();
  });

  it("keeps everything when the process dies between any two statements, and again while it makes up for it", async () => {
    for (let survived = 0; ; survived += 1) {
      test = createWarehouse();
      await makeOldDatabase(test.connection, 2, OLD_SPANS);
      const died = await diesAfter(survived, test.connection);
      if (!died) {
        expect(survived).toBeGreaterThan(5);
        return;
      }
      await diesAfter(Math.floor(survived / 2), test.connection);
      await test.warehouse.migrate();
      await check();
      await test.drop();
    }
  }, 300_000);

  it("is whole for each of several processes as soon as its own start is over", async () => {
    test = createWarehouse();
    await makeOldDatabase(test.connection, 2, OLD_SPANS);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        await migrateWarehouse(test.connection);
        await check();
      }),
    );
  });

  it.each(["RENAME", "ALTER TABLE charge_lines", "INSERT INTO calls "])(
    "is not moved again by a process that another one overtakes at its %s",
    async (statement) => {
      test = createWarehouse();
      await makeOldDatabase(test.connection, 2, OLD_SPANS);
      let other: Promise<void> | undefined;
      await migrateWarehouse({
        ...test.connection,
        async command(sql, ...given) {
          if (sql.startsWith(statement)) other ??= test.warehouse.migrate();
          await other;
          return test.connection.command(sql, ...given);
        },
      });
      expect(other).toBeDefined();
      await check();
    },
  );
});

/** Migrates by a process that ends after so many writing statements; false when it came to its end before. */
async function diesAfter(statements: number, connection: Connection): Promise<boolean> {
  let left = statements;
  const live = <Arguments extends unknown[]>(work: (...given: Arguments) => Promise<void>) => {
    return async (...given: Arguments) => {
      left -= 1;
      if (left < 0) throw new Error("killed");
      await work(...given);
    };
  };
  const dying = { ...connection, command: live(connection.command), insert: live(connection.insert) };
  return migrateWarehouse(dying).then(
    () => false,
    (thrown: Error) => {
      if (thrown.message !== "killed") throw thrown;
      return true;
    },
  );
}
