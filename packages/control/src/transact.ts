/**
 * A transaction on a connection of the pool, which gets it back if it committed. One that failed is closed instead: where
 * a statement took too long, its rollback does too, and whoever had the connection next would write into a transaction that
 * nobody commits. With drizzle's own, a connection that breaks as its transaction begins is lost to the pool; and nobody listens
 * to one that is in use, so that its breaking would end the process.
 */
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";

export type Database = NodePgDatabase & { $client: Pool };
export type Transaction = Parameters<Parameters<NodePgDatabase["transaction"]>[0]>[0];

export async function transact<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await db.$client.connect();
  // The statement under way fails by it, which is where it is reported.
  const ignore = (): void => undefined;
  client.on("error", ignore);
  let committed = false;
  try {
    const result = await drizzle(client).transaction(work);
    committed = true;
    return result;
  } finally {
    client.off("error", ignore);
    client.release(!committed);
  }
}
