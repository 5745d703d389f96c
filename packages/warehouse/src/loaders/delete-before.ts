/**
 * Retention: deletes what happened before an instant in one workspace, and what was worked out from it. A month of
 * receipt that holds nothing else goes as a whole, which costs nothing; from the others rows are deleted one by one.
 * Calls, charge lines and outcomes stay.
 */
import { type Signal, type SignalTable, TABLE_OF_SIGNAL } from "@centspan/model";
import { COPY_DEADLINE_MS, type Connection, type QueryParams } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam } from "../instants.ts";
import { summariseTraces } from "./refresh-trace-summaries.ts";

/** When a row of the table happened. */
const INSTANT_OF: Readonly<Record<SignalTable, string>> = { spans: "started_at", logs: "at", metrics: "at" };

export async function deleteBefore(
  connection: Connection,
  workspace: string,
  signal: Signal,
  beforeNs: bigint,
): Promise<number> {
  const table = TABLE_OF_SIGNAL[signal];
  const condition = `workspace = {workspace:String} AND ${INSTANT_OF[table]} < ${instantParam("beforeNs")}`;
  const params = { workspace, beforeNs: beforeNs.toString() };
  const deleted = await deleteRows(connection, table, condition, params);
  // Even where nothing was left to delete: the last time may have ended between the two.
  if (signal === "traces") await forgetTraces(connection, params);
  return deleted;
}

type PartitionRow = { partition_id: string; matching: string; is_over: 0 | 1; others: string };

async function deleteRows(
  connection: Connection,
  table: SignalTable,
  condition: string,
  params: QueryParams,
): Promise<number> {
  const partitions = await connection.query<PartitionRow>(
    `SELECT _partition_id AS partition_id, countIf(${condition}) AS matching, count() - matching AS others,
       partition_id < toString(toYYYYMM(now('UTC') - INTERVAL 1 DAY)) AS is_over
     FROM ${table}
     WHERE _partition_id IN (SELECT DISTINCT _partition_id FROM ${table} WHERE ${condition})
     GROUP BY partition_id`,
    params,
  );
  // Rows are received now: a month that is over gets none that could be dropped unseen, once the inserts of its last
  // minutes are done, which everybody's data is in.
  const whole = partitions.filter(({ others, is_over }) => others === "0" && is_over);
  for (const { partition_id } of whole) {
    await connection.command(`ALTER TABLE ${table} DROP PARTITION ID {partition:String}`, { partition: partition_id });
  }
  if (whole.length < partitions.length) {
    await connection.command(`DELETE FROM ${table} WHERE ${condition}`, params, COPY_DEADLINE_MS);
  }
  return partitions.reduce((sum, { matching }) => sum + readCount(matching), 0);
}

/** Traces without a span are gone; those that began before the instant and went on are summarised from what is left. */
async function forgetTraces(connection: Connection, params: QueryParams): Promise<void> {
  const before = instantParam("beforeNs");
  await connection.command(
    `DELETE FROM traces WHERE workspace = {workspace:String} AND last_started_at < ${before}`,
    params,
    COPY_DEADLINE_MS,
  );
  await summariseTraces(connection, {
    sql: [
      "workspace = {workspace:String}",
      `trace_id IN (
         SELECT trace_id FROM traces FINAL WHERE workspace = {workspace:String} AND first_started_at < ${before}
       )`,
    ],
    params,
  });
}
