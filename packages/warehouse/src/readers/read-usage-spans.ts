/**
 * What deriving calls needs of traces: the spans that may be calls and every span on their way up.
 * The way up is walked here, over ids alone, so that a large trace is not read whole and a cycle ends; leaves that are
 * no calls, such as the thousands of steps of a decode, don't leave the store.
 */
import type { SpanRecord } from "@centspan/model";
import { queryEach, queryInChunks, splitByCount } from "../chunks.ts";
import { allOf, and, NO_CONDITION, whereIn } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED, fromSpanRow, type SpanRow } from "../rows/span-row.ts";

/** The sessions are those that the spans name. */
export type UsageSpans = { spans: SpanRecord[]; sessionIds: Set<string> };

type NodeRow = { trace_id: string; span_id: string; parent_span_id: string; may_be_call: boolean };
type Node = Omit<NodeRow, "trace_id">;

type UsageSpanRow = Omit<SpanRow, "event_rows" | "link_rows"> & { session_id: string };
const NAMED_ATTRIBUTES = `mapFilter((name, value) -> has({attributeNames:Array(String)}, name), spans.attributes)
  AS attributes`;

/** As many are read at once: some megabytes. */
const SPANS_PER_QUERY = 10_000;

/** An entry for every trace asked for. */
export async function readUsageSpans(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
  attributeNames?: readonly string[],
): Promise<Map<string, UsageSpans>> {
  const nodes = await queryInChunks(ids, (traceIds) => readNodes(connection, workspace, traceIds));
  // A span id is one trace's, but nothing keeps senders from using it in another: pairs are what is asked for.
  const paths = [...groupByTrace(nodes)].flatMap(([traceId, ofTrace]) =>
    findUsagePaths(ofTrace).map((spanId) => [traceId, spanId] as const),
  );
  const rows = await queryEach(splitByCount(paths, SPANS_PER_QUERY), (pairs) => {
    const traceIds = [...new Set(pairs.map(([traceId]) => traceId))];
    const where = allOf(
      whereIn("traceIds", "trace_id", traceIds),
      whereIn("spanIds", "span_id", [...new Set(pairs.map(([, spanId]) => spanId))]),
      traceIds.length === 1
        ? NO_CONDITION
        : whereIn(
            "pairs",
            "concat(trace_id, span_id)",
            pairs.map((ids) => ids.join("")),
          ),
    );
    return connection.query<UsageSpanRow>(
      `SELECT trace_id, span_id, parent_span_id, name, kind, service, status, status_message, scope_name, session_id,
         ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
         ${attributeNames === undefined ? "attributes" : NAMED_ATTRIBUTES}, resource_attributes
       FROM spans
       WHERE workspace = {workspace:String}${and(where)}
       ${FIRST_RECEIVED}`,
      { ...where.params, workspace, attributeNames },
    );
  });
  const found = new Map<string, UsageSpans>(ids.map((id) => [id, { spans: [], sessionIds: new Set() }]));
  for (const row of rows) {
    const trace = found.get(row.trace_id);
    trace?.spans.push(fromSpanRow({ ...row, event_rows: [], link_rows: [] }));
    if (row.session_id !== "") trace?.sessionIds.add(row.session_id);
  }
  return found;
}

async function readNodes(connection: Connection, workspace: string, traceIds: readonly string[]): Promise<NodeRow[]> {
  const columns = await connection.queryColumns<NodeRow>(
    `SELECT trace_id, span_id, parent_span_id, may_be_call
     FROM (
       SELECT trace_id, span_id, parent_span_id, may_be_call FROM spans
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} ${FIRST_RECEIVED}
     )
     WHERE may_be_call OR (trace_id, span_id) IN (
       SELECT trace_id, parent_span_id FROM spans
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)}
     )`,
    { workspace, traceIds },
  );
  return columns.trace_id.map((trace_id, index) => ({
    trace_id,
    span_id: columns.span_id[index] ?? "",
    parent_span_id: columns.parent_span_id[index] ?? "",
    may_be_call: columns.may_be_call[index] ?? false,
  }));
}

function groupByTrace(nodes: readonly NodeRow[]): Map<string, Node[]> {
  const traces = new Map<string, Node[]>();
  for (const { trace_id, ...node } of nodes) {
    const trace = traces.get(trace_id);
    if (trace) trace.push(node);
    else traces.set(trace_id, [node]);
  }
  return traces;
}

function findUsagePaths(nodes: readonly Node[]): string[] {
  const parentOf = new Map(nodes.map(({ span_id, parent_span_id }) => [span_id, parent_span_id]));
  const kept = new Set<string>();
  for (const { span_id, may_be_call } of nodes) {
    if (!may_be_call) continue;
    for (
      let at: string | undefined = span_id;
      at !== undefined && parentOf.has(at) && !kept.has(at);
      at = parentOf.get(at)
    )
      kept.add(at);
  }
  return [...kept].sort();
}
