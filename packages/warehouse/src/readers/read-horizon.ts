/**
 * The instant before which nothing more of a table will become visible. A row is stamped while its insert runs, and
 * seen when that is over: so it is the start of the oldest insert that runs, or now. The clock is read first, for
 * inserts that begin while this one looks.
 */
import type { SignalTable } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";

export async function readHorizon(connection: Connection, tables: readonly SignalTable[]): Promise<bigint> {
  const [row] = await connection.query<{ horizon_ns: string }>(
    `SELECT ${nanoseconds("now64(9)")} - toInt64(ceil(max(elapsed) * 1e9)) AS horizon_ns
     FROM system.processes
     WHERE query_kind = 'Insert' AND match(query, {pattern:String})`,
    { pattern: `INTO (${tables.join("|")})\\b` },
  );
  return BigInt(row?.horizon_ns ?? 0);
}
