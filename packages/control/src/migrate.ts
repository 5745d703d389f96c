/**
 * Applies the committed migrations with drizzle's migrator. They come from migrations.gen.ts, not from a folder, so a
 * bundled app carries them. drizzle's migrator takes no lock of its own: an advisory lock makes concurrent starts wait.
 */
import { createHash } from "node:crypto";
import { NodePgSession } from "drizzle-orm/node-postgres";
import { PgDialect } from "drizzle-orm/pg-core";
import { Client } from "pg";
import { MIGRATIONS } from "./migrations.gen.ts";

/** Any fixed number: the same for every process that migrates this database. */
const MIGRATION_LOCK = "7165273909141";

/** Takes a connection of its own: waiting for another process's migration may outlast a question's deadline. */
export async function migrateControl(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A connection that breaks also fails the statement under way, which is where it is reported.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const dialect = new PgDialect();
    const session = new NodePgSession<Record<string, never>, Record<string, never>>(client, dialect, undefined);
    await dialect.migrate(MIGRATIONS.map(toMigration), session, { migrationsFolder: "" });
  } finally {
    // The lock is the session's, and ends with it.
    await client.end();
  }
}

/** The shape that drizzle's own folder reader makes of a migration file. */
const toMigration = ({ sql, when }: (typeof MIGRATIONS)[number]) => ({
  sql: sql.split("--> statement-breakpoint"),
  folderMillis: when,
  hash: createHash("sha256").update(sql).digest("hex"),
  bps: true,
});
