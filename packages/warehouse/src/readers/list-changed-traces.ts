/**
 * Traces with news, in every workspace: any span received since an instant, in a trace that may have calls.
 * Ancestors count as news because they carry identity, and usually arrive after the calls below them.
 */
import type { UsageFeed } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";

type Row = { workspace: string; trace_id: string; spans: string; received_ns: string };

export async function listChangedTraces(
  connection: Connection,
  sinceNs: bigint,
): ReturnType<UsageFeed["listChangedTraces"]> {
  const [clock] = await connection.query<{ as_of_ns: string }>(`SELECT ${nanoseconds("now64(9)")} AS as_of_ns`);
  const rows = await connection.query<Row>(
    `SELECT workspace, trace_id, uniqExact(span_id) AS spans,
       ${nanoseconds("max(received_at)")} AS received_ns
     FROM spans
     WHERE (workspace, trace_id) IN (SELECT workspace, trace_id FROM spans WHERE received_at >= ${instantParam("sinceNs")})
     GROUP BY workspace, trace_id
     HAVING countIf(may_be_call) > 0
     ORDER BY received_ns, workspace, trace_id`,
    { sinceNs: sinceNs.toString() },
  );
  const traces = rows.map((row) => ({
    workspace: row.workspace,
    traceId: row.trace_id,
    spans: readCount(row.spans),
    receivedAtNs: BigInt(row.received_ns),
  }));
  return { asOfNs: BigInt(clock?.as_of_ns ?? 0), traces };
}
