/**
 * A transaction on a connection of the pool, which it gets back in any case. With drizzle's own, one that breaks as its
 * transaction begins is lost to the pool, which in the end has none; and nobody listens to a connection that is in use, so
 * that its breaking would end the process.
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
  try {
    return await drizzle(client).transaction(work);
  } finally {
    client.off("error", ignore);
    client.release();
  }
}
