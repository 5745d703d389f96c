/** Which service sent which signal, when last, and how much. By receipt: what a sender says of time plays no part. */
import { SIGNALS, type Source, TABLE_OF_SIGNAL } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { nanoseconds } from "../instants.ts";

type Row = { service: string; received_ns: string; records: string };

export async function listSources(connection: Connection, workspace: string): Promise<Source[]> {
  const bySignal = await Promise.all(
    SIGNALS.map(async (signal) => {
      const rows = await connection.query<Row>(
        `SELECT service, ${nanoseconds("max(received_at)")} AS received_ns,
           countIf(received_at >= now64(9) - INTERVAL 24 HOUR) AS records
         FROM ${TABLE_OF_SIGNAL[signal]}
         WHERE workspace = {workspace:String} AND received_at >= now64(9) - INTERVAL 30 DAY
         GROUP BY service
         ORDER BY service`,
        { workspace },
      );
      return rows.map(
        ({ service, received_ns, records }): Source => ({
          signal,
          service,
          lastReceivedAtNs: BigInt(received_ns),
          records: readCount(records),
        }),
      );
    }),
  );
  return bySignal.flat();
}
