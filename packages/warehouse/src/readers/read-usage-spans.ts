/**
 * What deriving calls needs of traces: the spans that may be calls and every span on their way up.
 * The way up is walked here, over ids alone, so that a large trace is not read whole and a cycle ends; leaves that are
 * no calls, such as the thousands of steps of a decode, don't leave the store.
 */
import type { SpanRecord } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { FIRST_RECEIVED, fromSpanRow, SPAN_COLUMNS, type SpanRow } from "../rows/span-row.ts";

/** The sessions are those that the spans name. */
export type UsageSpans = { spans: SpanRecord[]; sessionIds: Set<string> };

type NodesRow = { trace_id: string; nodes: Node[] };
type Node = [spanId: string, parentSpanId: string, mayBeCall: boolean];

/** An entry for every trace asked for. */
export async function readUsageSpans(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<Map<string, UsageSpans>> {
  const traces = await queryInChunks(ids, (traceIds) =>
    connection.query<NodesRow>(
      `SELECT trace_id, groupArray((span_id, parent_span_id, may_be_call)) AS nodes
       FROM (
         SELECT trace_id, span_id, parent_span_id, may_be_call FROM spans
         WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} ${FIRST_RECEIVED}
       )
       WHERE may_be_call OR (trace_id, span_id) IN (
         SELECT trace_id, parent_span_id FROM spans
         WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)}
       )
       GROUP BY trace_id`,
      { workspace, traceIds },
    ),
  );
  // A span id is one trace's, but nothing keeps senders from using it in another: pairs are what is asked for.
  const paths = traces.flatMap(({ trace_id, nodes }) => findUsagePaths(nodes).map((spanId) => trace_id + spanId));
  const rows = await queryInChunks(paths, (pairs) =>
    connection.query<SpanRow & { session_id: string }>(
      `SELECT ${SPAN_COLUMNS}, session_id FROM spans
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)}
         AND span_id IN {spanIds:Array(String)} AND concat(trace_id, span_id) IN {pairs:Array(String)}
       ${FIRST_RECEIVED}`,
      {
        workspace,
        pairs,
        traceIds: [...new Set(pairs.map((pair) => pair.slice(0, -SPAN_ID_LENGTH)))],
        spanIds: [...new Set(pairs.map((pair) => pair.slice(-SPAN_ID_LENGTH)))],
      },
    ),
  );
  const found = new Map<string, UsageSpans>(ids.map((id) => [id, { spans: [], sessionIds: new Set() }]));
  for (const row of rows) {
    const trace = found.get(row.trace_id);
    trace?.spans.push(fromSpanRow(row));
    if (row.session_id !== "") trace?.sessionIds.add(row.session_id);
  }
  return found;
}

const SPAN_ID_LENGTH = 16;

function findUsagePaths(nodes: readonly Node[]): string[] {
  const parentOf = new Map(nodes.map(([spanId, parentSpanId]) => [spanId, parentSpanId]));
  const kept = new Set<string>();
  for (const [start, , mayBeCall] of nodes) {
    if (!mayBeCall) continue;
    for (
      let at: string | undefined = start;
      at !== undefined && parentOf.has(at) && !kept.has(at);
      at = parentOf.get(at)
    )
      kept.add(at);
  }
  return [...kept].sort();
}
