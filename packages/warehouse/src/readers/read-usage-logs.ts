/** Log records that may be calls: those in the context of traces, and those of sessions that stand in none. */
import type { LogRecord } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { instantParam } from "../instants.ts";
import { fromLogRow, LOG_COLUMNS, type LogRow } from "../rows/log-row.ts";
import type { Stretch } from "./stretches.ts";

/** A record that was sent again shows once. */
const ONCE = "ORDER BY at, content_hash, received_at LIMIT 1 BY at, content_hash";

export async function readLogsOfTraces(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<LogRecord[]> {
  const rows = await queryInChunks(ids, (traceIds) =>
    connection.query<LogRow>(
      `SELECT ${LOG_COLUMNS} FROM logs
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} AND may_be_call ${ONCE}`,
      { workspace, traceIds },
    ),
  );
  return rows.map(fromLogRow);
}

export async function readLogsOfSessions(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
  { fromNs, toNs }: Stretch,
): Promise<{ sessionId: string; log: LogRecord }[]> {
  const rows = await queryInChunks(ids, (sessionIds) =>
    connection.query<LogRow & { session_id: string }>(
      `SELECT ${LOG_COLUMNS}, session_id FROM logs
       WHERE workspace = {workspace:String} AND at BETWEEN ${instantParam("fromNs")} AND ${instantParam("toNs")}
         AND session_id IN {sessionIds:Array(String)} AND trace_id = '' AND may_be_call ${ONCE}`,
      { workspace, sessionIds, fromNs: fromNs.toString(), toNs: toNs.toString() },
    ),
  );
  return rows.map((row) => ({ sessionId: row.session_id, log: fromLogRow(row) }));
}
