/**
 * Where there is news, in every workspace: traces that may have calls and of which any span was received since an
 * instant, and log records that may be calls. Ancestors count as news because they carry identity, and usually arrive
 * after the calls below them.
 */
import type { UsageChange, UsageFeed } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";

type TraceRow = { workspace: string; trace_id: string; spans: string; received_ns: string };
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
  const [clock] = await connection.query<{ as_of_ns: string }>(`SELECT ${nanoseconds("now64(9)")} AS as_of_ns`);
  const params = { sinceNs: sinceNs.toString() };
  const traces = await connection.query<TraceRow>(
    `SELECT workspace, trace_id, uniqExact(span_id) AS spans,
       ${nanoseconds("max(received_at)")} AS received_ns
     FROM spans
     WHERE (workspace, trace_id) IN (SELECT workspace, trace_id FROM spans WHERE received_at >= ${instantParam("sinceNs")})
     GROUP BY workspace, trace_id
     HAVING countIf(may_be_call) > 0`,
    params,
  );
  const records = await connection.query<RecordRow>(
    `SELECT workspace, trace_id, session_id, ${nanoseconds("at")} AS at_ns, content_hash,
       ${nanoseconds("min(received_at)")} AS received_ns
     FROM logs
     WHERE received_at >= ${instantParam("sinceNs")} AND may_be_call
     GROUP BY workspace, trace_id, session_id, at, content_hash`,
    params,
  );
  const changes = [...traces.map(fromTraceRow), ...records.map(fromRecordRow)];
  return { asOfNs: BigInt(clock?.as_of_ns ?? 0), changes: changes.sort(compareReceipt) };
}

const fromTraceRow = (row: TraceRow): UsageChange => ({
  workspace: row.workspace,
  unit: { kind: "trace", traceId: row.trace_id },
  appearance: `${row.spans} spans, the last at ${row.received_ns}`,
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
