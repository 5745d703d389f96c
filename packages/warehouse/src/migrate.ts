/**
 * Brings a database to the shape of schema.ts. ClickHouse has no locks to take, so concurrent starts are made harmless
 * instead: every step of every migration is idempotent, looks at what is there rather than at what ran before, and a
 * version is recorded only after its steps. So whoever returns from here has the whole shape before it, whoever made it.
 * Add one: append to MIGRATIONS (ALTER … ADD COLUMN IF NOT EXISTS and the like); committed ones never change meaning.
 */
import { assert } from "@centspan/base";
import type { Connection } from "./connection.ts";
import { refreshTraceSummaries } from "./loaders/refresh-trace-summaries.ts";
import { moveSpans } from "./migrations/move-spans.ts";
import { renderCreateTable } from "./render-schema.ts";
import { CORRECTIONS, LOGS, METRICS, MIGRATION_LOG, SPANS, TABLES, type Table, TRACES } from "./schema.ts";

type Migration = { version: number; name: string; run(connection: Connection): Promise<void> };

const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: "spans, calls, charge lines, outcomes", run: (connection) => createTables(connection, TABLES) },
  // Its column is no longer computed by the server; 3 gives it to the rows that were there.
  { version: 2, name: "model spans without usage are news too", run: async () => {} },
  {
    version: 3,
    name: "signals as blocks bring them, by month of receipt",
    async run(connection) {
      await moveSpans(connection, () => createTables(connection, [SPANS, LOGS, METRICS]));
    },
  },
  {
    version: 4,
    name: "a summary of each trace",
    async run(connection) {
      await createTables(connection, [TRACES]);
      await refreshTraceSummaries(connection, 0n);
    },
  },
  {
    version: 5,
    name: "time to the first token of a call",
    run: (connection) =>
      connection.command("ALTER TABLE calls ADD COLUMN IF NOT EXISTS ttft_ms Nullable(Float64) AFTER duration_ns"),
  },
  {
    version: 6,
    name: "what a price depends on, fees by use, and list prices beside those of contracts",
    async run(connection) {
      for (const column of [
        "region LowCardinality(String) AFTER service_tier",
        "web_searches UInt64 AFTER output_reasoning",
        "price_entry_id LowCardinality(String) AFTER cost_status",
      ])
        await connection.command(`ALTER TABLE calls ADD COLUMN IF NOT EXISTS ${column}`);
      await connection.command(
        "ALTER TABLE charge_lines ADD COLUMN IF NOT EXISTS list_unit_price_usd Nullable(Decimal(38, 12)) AFTER cost_usd",
      );
    },
  },
  {
    version: 7,
    name: "when a call is billed, and what changed of it after that was closed",
    async run(connection) {
      await connection.command(
        "ALTER TABLE calls ADD COLUMN IF NOT EXISTS posted_at DateTime64(9, 'UTC') DEFAULT at AFTER at",
      );
      await createTables(connection, [CORRECTIONS]);
    },
  },
];

export async function migrateWarehouse(connection: Connection): Promise<void> {
  await connection.ensureDatabase();
  await createTables(connection, [MIGRATION_LOG]);
  const applied = await connection.query<{ version: number }>("SELECT DISTINCT version FROM schema_migrations");
  const done = new Set(applied.map(({ version }) => version));
  for (const { version, name, run } of pending(done)) {
    await run(connection);
    await connection.insert("schema_migrations", [{ version, name }]);
  }
}

async function createTables(connection: Connection, tables: readonly Table[]): Promise<void> {
  for (const table of tables) await connection.command(renderCreateTable(table));
}

function pending(done: ReadonlySet<number>): Migration[] {
  assert(
    MIGRATIONS.every(({ version }, index) => version === index + 1),
    "migrations are numbered from 1 without gaps",
  );
  return MIGRATIONS.filter(({ version }) => !done.has(version));
}
