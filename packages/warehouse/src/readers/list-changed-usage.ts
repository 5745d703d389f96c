/**
 * Where there is news, in every workspace: traces that may have calls and of which any span was received since an
 * instant, and log records that may be calls. Ancestors count as news because they carry identity, and usually arrive
 * after the calls below them. What was received together is one piece of news, so that the cost follows the news and
 * not the size of its traces; a replica's own spans are nobody's.
 */
import type { UsageChange, UsageFeed } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { readHorizon } from "./read-horizon.ts";

type TraceRow = { workspace: string; trace_id: string; received_ns: string; spans: string; may_have_calls: boolean };
type RecordRow = {
  workspace: string;
  trace_id: string;
  session_id: string;
  at_ns: string;
  content_hash: string;
  received_ns: string;
};

export async function listChangedUsage(
  connection: Connection,
  sinceNs: bigint,
): ReturnType<UsageFeed["listChangedUsage"]> {
  const asOfNs = await readHorizon(connection, ["spans", "logs"]);
  const traces = await listChangedTraces(connection, sinceNs);
  const records = await connection.query<RecordRow>(
    `SELECT workspace, trace_id, session_id, ${nanoseconds("at")} AS at_ns, content_hash,
       ${nanoseconds("min(received_at)")} AS received_ns
     FROM logs
     WHERE received_at >= ${instantParam("sinceNs")} AND may_be_call
     GROUP BY workspace, trace_id, session_id, at, content_hash`,
    { sinceNs: sinceNs.toString() },
  );
  const changes = [...traces.map(fromTraceRow), ...records.map(fromRecordRow)];
  return { asOfNs, changes: changes.sort(compareReceipt) };
}

/** Whether a trace may have calls is mostly in the news itself; of the others the store is asked what it has. */
async function listChangedTraces(connection: Connection, sinceNs: bigint): Promise<TraceRow[]> {
  const params = { sinceNs: sinceNs.toString() };
  const news = `spans WHERE received_at >= ${instantParam("sinceNs")} AND NOT of_replica`;
  const rows = await connection.query<TraceRow>(
    `SELECT workspace, trace_id, ${nanoseconds("received_at")} AS received_ns, count() AS spans,
       max(may_be_call) AS may_have_calls
     FROM ${news}
     GROUP BY workspace, trace_id, received_at`,
    params,
  );
  const known = new Set(rows.filter((row) => row.may_have_calls).map(nameOf));
  if (rows.some((row) => !known.has(nameOf(row)))) {
    const others = await connection.query<Pick<TraceRow, "workspace" | "trace_id">>(
      `SELECT DISTINCT workspace, trace_id FROM spans
       WHERE may_be_call AND (workspace, trace_id) IN (
         SELECT workspace, trace_id FROM ${news} GROUP BY workspace, trace_id HAVING NOT max(may_be_call)
       )`,
      params,
    );
    for (const row of others) known.add(nameOf(row));
  }
  return rows.filter((row) => known.has(nameOf(row)));
}

const nameOf = ({ workspace, trace_id }: Pick<TraceRow, "workspace" | "trace_id">): string =>
  JSON.stringify([workspace, trace_id]);

const fromTraceRow = (row: TraceRow): UsageChange => ({
  workspace: row.workspace,
  unit: { kind: "trace", traceId: row.trace_id },
  appearance: `spans received at ${row.received_ns}`,
  receivedAtNs: BigInt(row.received_ns),
  records: readCount(row.spans),
});

function fromRecordRow(row: RecordRow): UsageChange {
  const atNs = BigInt(row.at_ns);
  return {
    workspace: row.workspace,
    unit:
      row.trace_id === ""
        ? { kind: "session", sessionId: row.session_id, fromNs: atNs, toNs: atNs }
        : { kind: "trace", traceId: row.trace_id },
    appearance: `record ${row.content_hash} at ${row.at_ns}`,
    receivedAtNs: BigInt(row.received_ns),
    records: 1,
  };
}

const compareReceipt = (a: UsageChange, b: UsageChange): number =>
  a.receivedAtNs < b.receivedAtNs ? -1 : a.receivedAtNs > b.receivedAtNs ? 1 : 0;
