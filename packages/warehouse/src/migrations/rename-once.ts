/**
 * Moving a table to a shape that only a new one can have begins with this: the old one takes a name that stays taken for
 * ever, so whoever comes late with the same rename fails, whatever has happened since.
 */
import { ClickHouseError } from "@clickhouse/client";
import type { Connection } from "../connection.ts";

/** Another process may have renamed it a moment ago, and made the new table since. */
export async function renameOnce(connection: Connection, table: string, to: string): Promise<void> {
  try {
    await connection.command(`RENAME TABLE ${table} TO ${to}`);
  } catch (thrown) {
    const isDone = thrown instanceof ClickHouseError && RENAMED_ALREADY.has(thrown.type ?? "");
    if (!isDone) throw thrown;
  }
}

const RENAMED_ALREADY = new Set(["TABLE_ALREADY_EXISTS", "UNKNOWN_TABLE"]);

/** What tables of these names are partitioned by. */
export async function readPartitionKeys(
  connection: Connection,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const tables = await connection.query<{ name: string; partition_key: string }>(
    "SELECT name, partition_key FROM system.tables WHERE database = currentDatabase() AND name IN {names:Array(String)}",
    { names },
  );
  return new Map(tables.map(({ name, partition_key }) => [name, partition_key]));
}
