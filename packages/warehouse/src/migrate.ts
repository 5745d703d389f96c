/**
 * Brings a database to the shape of schema.ts. ClickHouse has no locks to take, so concurrent starts are made harmless
 * instead: every step of every migration is idempotent, looks at what is there rather than at what ran before, and a
 * version is recorded only after its steps. So whoever returns from here has the whole shape before it, whoever made it.
 * Whoever comes between a table and its successor tries again.
 * Add one: append to MIGRATIONS (ALTER … ADD COLUMN IF NOT EXISTS and the like); committed ones never change meaning.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "@centspan/base";
import { ClickHouseError } from "@clickhouse/client";
import type { Connection } from "./connection.ts";
import { refreshTraceSummaries } from "./loaders/refresh-trace-summaries.ts";
import { moveCalls } from "./migrations/move-calls.ts";
import { moveSpans } from "./migrations/move-spans.ts";
import { PROJECTIONS_ARE_OF_WHAT_STAYS, renderColumn, renderCreateTable, renderProjection } from "./render-schema.ts";
import {
  BROKEN_AT,
  CALL_TIMES,
  CALLS,
  CORRECTIONS,
  COST_DAYS,
  DAILY_COSTS,
  DAILY_WORK,
  LOGS,
  METRICS,
  MIGRATION_LOG,
  OUTCOME_LINKS,
  SAID_IN_EVIDENCE,
  SPAN_PRECEDENCE,
  SPANS,
  TABLES,
  type Table,
  TRACES,
  TRUSTED_BEFORE,
  WASTE_ITEMS,
  WORK_MARKS,
  WORK_STRETCHES,
} from "./schema.ts";

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
      // Lines have a table of their own until 8, which gives it the list prices that it may lack.
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
  {
    version: 8,
    name: "calls by days with their lines, and what days come to",
    async run(connection) {
      await moveCalls(connection, () => createTables(connection, [CALLS, CALL_TIMES, COST_DAYS, DAILY_COSTS]));
    },
  },
  {
    version: 9,
    name: "what outcomes say of where work was done, and how they are linked",
    async run(connection) {
      for (const column of [
        "patch_id String AFTER pull_request",
        "repository String AFTER patch_id",
        "branch String AFTER repository",
      ])
        await connection.command(`ALTER TABLE outcomes ADD COLUMN IF NOT EXISTS ${column}`);
      await createTables(connection, [OUTCOME_LINKS, WORK_MARKS, WORK_STRETCHES]);
    },
  },
  {
    version: 10,
    name: "what was paid for twice",
    run: (connection) => createTables(connection, [WASTE_ITEMS]),
  },
  {
    version: 11,
    name: "provenance of a call's usage, beside that of its cost",
    run: (connection) =>
      connection.command(
        "ALTER TABLE calls ADD COLUMN IF NOT EXISTS usage_provenance LowCardinality(String) DEFAULT provenance AFTER provenance",
      ),
  },
  {
    version: 12,
    name: "what days come to without keys, and by keys alone",
    async run(connection) {
      await connection.command(`ALTER TABLE daily_costs MODIFY SETTING ${PROJECTIONS_ARE_OF_WHAT_STAYS}`);
      const changes = (DAILY_COSTS.projections ?? []).flatMap((projection) => [
        `ADD PROJECTION IF NOT EXISTS ${renderProjection(projection)}`,
        // Goes on behind: until it is there, the rows are added up.
        `MATERIALIZE PROJECTION ${projection.name}`,
      ]);
      await connection.command(`ALTER TABLE daily_costs ${changes.join(", ")}`);
    },
  },
  {
    version: 13,
    name: "whose word a span is",
    run: (connection) =>
      connection.command(
        `ALTER TABLE spans ADD COLUMN IF NOT EXISTS trusted Bool DEFAULT ${TRUSTED_BEFORE} AFTER workspace,
         MODIFY COLUMN precedence UInt64 MATERIALIZED ${SPAN_PRECEDENCE.materialized}`,
      ),
  },
  {
    version: 14,
    name: "what tasks spend by days, and what is asked of evidence",
    async run(connection) {
      for (const column of SAID_IN_EVIDENCE)
        await connection.command(`ALTER TABLE outcomes ADD COLUMN IF NOT EXISTS ${renderColumn(column)}`);
      for (const column of BROKEN_AT)
        await connection.command(`ALTER TABLE waste_items ADD COLUMN IF NOT EXISTS ${renderColumn(column)}`);
      await createTables(connection, [DAILY_WORK]);
      // Of days that are summed up nothing is there yet: they are summed up again.
      await connection.command(
        `INSERT INTO cost_days (workspace, time_zone, from_at, to_at, is_fresh, revision, deleted)
         SELECT workspace, time_zone, from_at, to_at, 0, revision + 1, 0 FROM cost_days FINAL WHERE is_fresh`,
      );
    },
  },
];

/** Tried again, ten times a second, for as long as another process may be about to put a table in another's place. */
const MOST_TRIES = 100;
const PAUSE_MS = 100;

export async function migrateWarehouse(connection: Connection): Promise<void> {
  await connection.ensureDatabase();
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyMigrations(connection);
    } catch (thrown) {
      if (!isBeingReplaced(thrown) || tries === MOST_TRIES) throw thrown;
      await sleep(PAUSE_MS);
    }
  }
}

/** A table that was renamed, and whose successor is not there yet; or one that was dropped while we reached for it. */
const isBeingReplaced = (thrown: unknown): boolean =>
  thrown instanceof ClickHouseError &&
  [
    "UNKNOWN_TABLE",
    "TABLE_IS_DROPPED",
    "CANNOT_GET_CREATE_TABLE_QUERY",
    "FILE_DOESNT_EXIST",
    "CANNOT_OPEN_FILE",
  ].includes(thrown.type ?? "");

async function applyMigrations(connection: Connection): Promise<void> {
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
