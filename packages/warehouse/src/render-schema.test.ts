import { BLOCK_COLUMNS } from "@centspan/ingest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderSchema } from "./render-schema.ts";
import { TABLES } from "./schema.ts";
import { createWarehouse, type TestWarehouse } from "./testing/create-warehouse.ts";

let test: TestWarehouse;
beforeAll(async () => {
  test = createWarehouse();
  await test.connection.ensureDatabase();
});
afterAll(() => test.drop());

const statementsOf = (sql: string): string[] =>
  sql
    .replace(/^--.*$/gm, "")
    .split(";\n")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");

describe("the schema of one server", () => {
  it("is what migrations make, and migrations leave it as it is", async () => {
    const migrated = createWarehouse();
    await migrated.warehouse.migrate();
    for (const statement of statementsOf(renderSchema())) await test.connection.command(statement);
    const shape = (connection: typeof test.connection) =>
      connection.query(
        `SELECT name, replaceAll(create_table_query, concat(currentDatabase(), '.'), '') AS ddl FROM system.tables
         WHERE database = currentDatabase() ORDER BY name`,
      );
    const made = await shape(test.connection);
    expect(made).toHaveLength(TABLES.length + 1);
    expect(made).toEqual(await shape(migrated.connection));
    await test.warehouse.migrate();
    expect(await shape(test.connection)).toEqual(made);
    await migrated.drop();
  });
});

describe("the schema of a cluster", () => {
  const statements = statementsOf(renderSchema({ cluster: { name: "{cluster}" } }));

  it("is SQL that the engine reads, with a replicated and a distributed table for each", async () => {
    for (const statement of statements) {
      const [row] = await test.connection.query<{ sql: string }>("SELECT formatQuerySingleLine({sql:String}) AS sql", {
        sql: statement,
      });
      expect(row?.sql).toContain("ON CLUSTER `{cluster}`");
    }
    const made = statements.map((statement) => /NOT EXISTS (\w+)[\s\S]*ENGINE = (\w+)/.exec(statement)?.slice(1));
    expect(made).toEqual(
      ["schema_migrations", ...TABLES.map(({ name }) => name)].flatMap((name) => [
        [`${name}_local`, "ReplicatedReplacingMergeTree"],
        [name, "Distributed"],
      ]),
    );
    await expect(test.connection.query("SELECT formatQuery('CREATE TABLE x ON CLUSTER (')")).rejects.toThrow(/Syntax/);
  });

  it("has the columns, keys and partitions of one server's", async () => {
    const local = statementsOf(renderSchema()).map((statement) => statement.split("\n"));
    const replicated = statements.filter((statement) => statement.includes("_local ON CLUSTER '{cluster}' ("));
    const withoutEngine = (lines: readonly string[]) => lines.slice(1).filter((line) => !line.startsWith(") ENGINE"));
    expect(replicated.map((statement) => withoutEngine(statement.split("\n")))).toEqual(local.map(withoutEngine));
  });

  it.each(TABLES)("of $name has every version of a row on one shard", ({ shardBy, orderBy, columns }) => {
    const names = new Set(columns.map(({ name }) => name));
    const members = shardBy
      .flatMap((expression) => expression.match(/\b\w+\b/g) ?? [])
      .filter((word) => names.has(word));
    expect(members.length).toBeGreaterThanOrEqual(shardBy.length);
    // What a sender says, every repetition says again; of what has versions only the order key stays.
    const isSent = orderBy.includes("content_hash");
    const kept = new Set(isSent ? ["series", ...SENT] : orderBy);
    expect(members.filter((name) => !kept.has(name))).toEqual([]);
  });
});

const SENT = Object.values(BLOCK_COLUMNS).flatMap((columns) => columns.map(({ name }) => name));
