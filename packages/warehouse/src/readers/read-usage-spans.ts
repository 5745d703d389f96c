/**
 * What deriving calls needs of a trace: the spans that may be calls and every span on their way up.
 * The way up is walked here, over ids alone, so that a large trace is not read whole and a cycle ends.
 */
import type { SpanRecord } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { FIRST_RECEIVED, fromSpanRow, SPAN_COLUMNS, type SpanRow } from "../rows/span-row.ts";

type Node = { span_id: string; parent_span_id: string; may_be_call: boolean };

export async function readUsageSpans(
  connection: Connection,
  workspace: string,
  traceId: string,
): Promise<SpanRecord[]> {
  const nodes = await connection.query<Node>(
    `SELECT span_id, parent_span_id, may_be_call FROM spans
     WHERE workspace = {workspace:String} AND trace_id = {traceId:String} ${FIRST_RECEIVED}`,
    { workspace, traceId },
  );
  const rows = await queryInChunks(findUsagePaths(nodes), (spanIds) =>
    connection.query<SpanRow>(
      `SELECT ${SPAN_COLUMNS} FROM spans
       WHERE workspace = {workspace:String} AND trace_id = {traceId:String} AND span_id IN {spanIds:Array(String)}
       ${FIRST_RECEIVED}`,
      { workspace, traceId, spanIds },
    ),
  );
  return rows.map(fromSpanRow);
}

function findUsagePaths(nodes: readonly Node[]): string[] {
  const byId = new Map(nodes.map((node) => [node.span_id, node]));
  const kept = new Set<string>();
  for (const start of nodes) {
    if (!start.may_be_call) continue;
    for (let node: Node | undefined = start; node && !kept.has(node.span_id); node = byId.get(node.parent_span_id)) {
      kept.add(node.span_id);
    }
  }
  return [...kept].sort();
}
