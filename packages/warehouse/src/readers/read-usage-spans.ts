/**
 * What deriving calls needs of traces: the spans that may be calls and every span on their way up.
 * The way up is walked here, over ids alone, so that a large trace is not read whole and a cycle ends; leaves that are
 * no calls, such as the thousands of steps of a decode, don't leave the store.
 */
import type { SpanRecord } from "@centspan/model";
import { queryEach, queryInChunks, splitByCount } from "../chunks.ts";
import { allOf, and, NO_CONDITION, whereIn } from "../conditions.ts";
import type { Columns, Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED, fromSpanRow, type SpanRow } from "../rows/span-row.ts";

/** The sessions are those that the spans name. */
export type UsageSpans = { spans: SpanRecord[]; sessionIds: Set<string> };

type NodeRow = { trace_id: string; span_id: string; parent_span_id: string; may_be_call: boolean };
type PathSpan = readonly [traceId: string, spanId: string];

type UsageSpanRow = Omit<SpanRow, "event_rows" | "link_rows"> & { session_id: string };
const NAMED_ATTRIBUTES = ["attributes", "resource_attributes"]
  .map(
    (column) => `mapFilter((name, value) -> has({attributeNames:Array(String)}, name), spans.${column}) AS ${column}`,
  )
  .join(", ");

/** As many are read at once: some megabytes. */
const SPANS_PER_QUERY = 10_000;

/** An entry for every trace asked for. */
export async function readUsageSpans(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
  attributeNames?: readonly string[],
): Promise<Map<string, UsageSpans>> {
  const found = new Map<string, UsageSpans>(ids.map((id) => [id, { spans: [], sessionIds: new Set() }]));
  const share = createSharer();
  // A span id is one trace's, but nothing keeps senders from using it in another: pairs are what is asked for.
  const paths = await queryInChunks(ids, async (traceIds) =>
    findUsagePaths(await readNodes(connection, workspace, traceIds)),
  );
  await queryEach(splitByCount(paths, SPANS_PER_QUERY), async (pairs) => {
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
    const rows = await connection.query<UsageSpanRow>(
      `SELECT trace_id, span_id, parent_span_id, name, kind, service, status, status_message, scope_name, trusted,
         session_id,
         ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
         ${attributeNames === undefined ? "attributes, resource_attributes" : NAMED_ATTRIBUTES}
       FROM spans
       WHERE workspace = {workspace:String}${and(where)}
       ${FIRST_RECEIVED}`,
      { ...where.params, workspace, attributeNames },
    );
    for (const row of rows) {
      const trace = found.get(row.trace_id);
      trace?.spans.push(fromSpanRow({ ...row, resource_attributes: share(row.resource_attributes), ...NO_LISTS }));
      if (row.session_id !== "") trace?.sessionIds.add(row.session_id);
    }
    return [];
  });
  return found;
}

const NO_LISTS = { event_rows: [], link_rows: [] };

/** Most spans have the resource of another: one is kept of each. */
function createSharer(): (attributes: Record<string, string>) => Record<string, string> {
  const known = new Map<string, Record<string, string>>();
  return (attributes) => {
    const key = JSON.stringify(attributes);
    const same = known.get(key) ?? attributes;
    known.set(key, same);
    return same;
  };
}

/** The spans that may be calls, and all that have others below them. */
const readNodes = (connection: Connection, workspace: string, traceIds: readonly string[]): Promise<Columns<NodeRow>> =>
  connection.queryColumns<NodeRow>(
    `SELECT trace_id, span_id, parent_span_id, may_be_call
     FROM (
       SELECT trace_id, span_id, parent_span_id, may_be_call FROM spans
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} ${FIRST_RECEIVED}
     )
     WHERE may_be_call OR (trace_id, span_id) IN (
       SELECT trace_id, parent_span_id FROM spans
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)}
     )
     ORDER BY trace_id, span_id`,
    { workspace, traceIds },
  );

/** In the order of the nodes: that of the table. */
function findUsagePaths(nodes: Columns<NodeRow>): PathSpan[] {
  const places = new Map<string, Map<string, number>>();
  for (const [place, spanId] of nodes.span_id.entries()) {
    const traceId = nodes.trace_id[place] ?? "";
    const trace = places.get(traceId) ?? new Map<string, number>();
    if (trace.size === 0) places.set(traceId, trace);
    trace.set(spanId, place);
  }
  const kept = new Uint8Array(nodes.span_id.length);
  for (const [start, mayBeCall] of nodes.may_be_call.entries()) {
    if (!mayBeCall) continue;
    const trace = places.get(nodes.trace_id[start] ?? "");
    for (let at: number | undefined = start; at !== undefined && kept[at] === 0; ) {
      kept[at] = 1;
      at = trace?.get(nodes.parent_span_id[at] ?? "");
    }
  }
  return nodes.span_id.flatMap((spanId, place): PathSpan[] =>
    kept[place] === 1 ? [[nodes.trace_id[place] ?? "", spanId]] : [],
  );
}
