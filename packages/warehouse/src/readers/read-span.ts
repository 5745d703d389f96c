/** One span whole: what was received first under its ids. */
import type { SpanRecord } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { FIRST_RECEIVED, fromSpanRow, SPAN_COLUMNS, type SpanRow } from "../rows/span-row.ts";

export async function readSpan(
  connection: Connection,
  workspace: string,
  traceId: string,
  spanId: string,
): Promise<SpanRecord | null> {
  const [row] = await connection.query<SpanRow>(
    `SELECT ${SPAN_COLUMNS} FROM spans
     WHERE workspace = {workspace:String} AND trace_id = {traceId:String} AND span_id = {spanId:String}
     ${FIRST_RECEIVED}`,
    { workspace, traceId, spanId },
  );
  return row === undefined ? null : fromSpanRow(row);
}
