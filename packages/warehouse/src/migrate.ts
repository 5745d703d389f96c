/**
 * Brings a database to the shape of schema.ts. ClickHouse has no locks to take, so concurrent starts are made harmless
 * instead: every statement of every migration is idempotent, and a version is recorded only after its statements ran.
 * Add one: append to MIGRATIONS (ALTER … ADD COLUMN IF NOT EXISTS and the like); committed ones never change meaning.
 */
import { assert } from "@centspan/base";
import type { Connection } from "./connection.ts";
import { renderAddColumn, renderCreateTable, SPANS, TABLES } from "./schema.ts";

type Migration = { version: number; name: string; statements: readonly string[] };

const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: "spans, calls, charge lines, outcomes", statements: TABLES.map(renderCreateTable) },
  {
    version: 2,
    name: "model spans without usage are news too",
    statements: [renderAddColumn(SPANS, "may_be_call"), "ALTER TABLE spans DROP COLUMN IF EXISTS has_usage"],
  },
];

const CREATE_LOG = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version UInt32,
  name String,
  applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
) ENGINE = ReplacingMergeTree
ORDER BY version`;

export async function migrateWarehouse(connection: Connection): Promise<void> {
  await connection.ensureDatabase();
  await connection.command(CREATE_LOG);
  const applied = await connection.query<{ version: number }>("SELECT DISTINCT version FROM schema_migrations");
  const done = new Set(applied.map(({ version }) => version));
  for (const { version, name, statements } of pending(done)) {
    for (const statement of statements) await connection.command(statement);
    await connection.insert("schema_migrations", [{ version, name }]);
  }
}

function pending(done: ReadonlySet<number>): Migration[] {
  assert(
    MIGRATIONS.every(({ version }, index) => version === index + 1),
    "migrations are numbered from 1 without gaps",
  );
  return MIGRATIONS.filter(({ version }) => !done.has(version));
}
