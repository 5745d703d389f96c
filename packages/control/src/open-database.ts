/**
 * One connection pool. Nothing is contacted until the first question. Idle connections may break at any time; the next question
 * gets a new one.
 */
import { drizzle } from "drizzle-orm/node-postgres";
import { Pool } from "pg";
import type { Database } from "./transact.ts";

export type DatabaseOptions = {
  /** postgres://user:password@host:port/database; the database exists already. */
  url: string;
  maxConnections?: number;
  /** After which a statement is given up. */
  patienceMs?: number;
};

export function openDatabase({ url, maxConnections = 10, patienceMs = 8_000 }: DatabaseOptions): {
  db: Database;
  close(): Promise<void>;
} {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    // The server gives up first, so that a statement does not go on of which nobody waits for the end.
    lock_timeout: patienceMs,
    statement_timeout: patienceMs + 1_000,
    query_timeout: patienceMs + 2_000,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is already out of the pool; without a listener it would end the process.
  pool.on("error", () => {});
  return { db: drizzle(pool), close: () => pool.end() };
}
