/**
 * The skeleton of one trace, and of the spans elsewhere that its spans link to: the engine steps that served it.
 * Links that resolve to nothing are left to the reader of the skeleton, who sees them on the span.
 */
import { assert } from "@centspan/base";
import type { SpanSkeleton, SpanStatus, StoredTrace } from "@centspan/model";
import type { Columns, Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";
import { FACT_ATTRIBUTES, FACT_CHARACTERS } from "./row-facts.ts";

const SKELETON_COLUMNS = `trace_id, span_id, parent_span_id, name, service, status, layer,
  ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
  mapApply(
    (name, value) -> (name, substringUTF8(value, 1, {factCharacters:UInt32})),
    mapFilter((name, value) -> has({factNames:Array(String)}, name), attributes)
  ) AS facts,
  arrayMap(link -> (link.trace_id, link.span_id), links) AS link_ids`;

const IN_TRACE = "workspace = {workspace:String} AND trace_id = {traceId:String}";

type SkeletonRow = {
  trace_id: string;
  span_id: string;
  parent_span_id: string;
  name: string;
  service: string;
  status: SpanStatus;
  layer: string;
  started_ns: string;
  ended_ns: string;
  facts: Record<string, string>;
  link_ids: [traceId: string, spanId: string][];
};

export async function readTrace(connection: Connection, workspace: string, traceId: string): Promise<StoredTrace> {
  const params = { workspace, traceId, factNames: FACT_ATTRIBUTES, factCharacters: FACT_CHARACTERS };
  const [own, linked, conflicts] = await Promise.all([
    connection.queryColumns<SkeletonRow>(
      `SELECT ${SKELETON_COLUMNS} FROM spans WHERE ${IN_TRACE} ${FIRST_RECEIVED}`,
      params,
    ),
    connection.queryColumns<SkeletonRow>(
      `SELECT ${SKELETON_COLUMNS} FROM spans
       WHERE workspace = {workspace:String} AND (trace_id, span_id) IN (
         SELECT link.trace_id, link.span_id
         FROM (SELECT trace_id, span_id, links FROM spans WHERE ${IN_TRACE} ${FIRST_RECEIVED})
         ARRAY JOIN links AS link
         WHERE link.trace_id != {traceId:String}
       )
       ${FIRST_RECEIVED}`,
      params,
    ),
    connection.query<{ span_id: string }>(
      `SELECT span_id FROM spans WHERE ${IN_TRACE}
       GROUP BY span_id HAVING uniqExact(content_hash) > 1 ORDER BY span_id`,
      params,
    ),
  ]);
  const spans = [...toSkeletons(own, false), ...toSkeletons(linked, true)];
  return { spans: spans.sort(byStart), conflictingSpanIds: conflicts.map((row) => row.span_id) };
}

function toSkeletons(columns: Columns<SkeletonRow>, linked: boolean): SpanSkeleton[] {
  const at = <Name extends keyof SkeletonRow>(name: Name, index: number): SkeletonRow[Name] => {
    const value = columns[name][index];
    assert(value !== undefined, "columns of one length");
    return value;
  };
  return columns.trace_id.map((traceId, index) => ({
    traceId,
    spanId: at("span_id", index),
    parentSpanId: at("parent_span_id", index),
    name: at("name", index),
    service: at("service", index),
    startedAtNs: BigInt(at("started_ns", index)),
    endedAtNs: BigInt(at("ended_ns", index)),
    status: at("status", index),
    layer: at("layer", index),
    facts: at("facts", index),
    links: at("link_ids", index).map(([linkedTrace, spanId]) => ({ traceId: linkedTrace, spanId })),
    linked,
  }));
}

/** By start; of spans that start together the longer first, since it is the likelier parent. */
function byStart(a: SpanSkeleton, b: SpanSkeleton): number {
  if (a.startedAtNs !== b.startedAtNs) return a.startedAtNs < b.startedAtNs ? -1 : 1;
  if (a.endedAtNs !== b.endedAtNs) return a.endedAtNs > b.endedAtNs ? -1 : 1;
  return a.spanId < b.spanId ? -1 : 1;
}
