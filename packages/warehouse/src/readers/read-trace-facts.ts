/** One trace as it can be gone through turn by turn: its calls, and its spans with the attributes that are asked for. */
import type { RunFacts } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { CALL_COLUMNS, type CallRow, fromCallRow } from "../rows/call-row.ts";
import { FIRST_RECEIVED, fromSpanRow, type SpanRow } from "../rows/span-row.ts";

const IN_TRACE = "workspace = {workspace:String} AND trace_id = {traceId:String}";

type NarrowRow = Omit<SpanRow, "event_rows" | "link_rows">;

export async function readTraceFacts(
  connection: Connection,
  workspace: string,
  traceId: string,
  attributeNames: readonly string[],
): Promise<Pick<RunFacts, "calls" | "spans">> {
  const params = { workspace, traceId };
  const [calls, spans] = await Promise.all([
    connection.query<CallRow>(`SELECT ${CALL_COLUMNS} FROM calls FINAL WHERE ${IN_TRACE} ORDER BY at, call_id`, params),
    connection.query<NarrowRow>(
      `SELECT trace_id, span_id, parent_span_id, name, kind, service, status, '' AS status_message, scope_name, trusted,
         ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
         mapFilter((name, value) -> has({attributeNames:Array(String)}, name), spans.attributes) AS attributes,
         map() AS resource_attributes
       FROM spans WHERE ${IN_TRACE} AND NOT of_replica ${FIRST_RECEIVED}`,
      { ...params, attributeNames },
    ),
  ]);
  return {
    calls: calls.map(fromCallRow),
    spans: spans.map((row) => fromSpanRow({ ...row, event_rows: [], link_rows: [] })),
  };
}
