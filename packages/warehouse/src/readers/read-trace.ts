/**
 * The skeleton of one trace, and of the spans elsewhere that its spans link to: the engine steps that served it.
 * Links that resolve to nothing are left to the reader of the skeleton, who sees them on the span.
 */
import type { SpanSkeleton, SpanStatus, StoredTrace } from "@centspan/model";
import type { Connection } from "../connection.ts";
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
    connection.query<SkeletonRow>(`SELECT ${SKELETON_COLUMNS} FROM spans WHERE ${IN_TRACE} ${FIRST_RECEIVED}`, params),
    connection.query<SkeletonRow>(
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
  const spans = [...own.map((row) => toSkeleton(row, false)), ...linked.map((row) => toSkeleton(row, true))];
  return { spans: spans.sort(byStart), conflictingSpanIds: conflicts.map((row) => row.span_id) };
}

function toSkeleton(row: SkeletonRow, linked: boolean): SpanSkeleton {
  return {
    traceId: row.trace_id,
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
    name: row.name,
    service: row.service,
    startedAtNs: BigInt(row.started_ns),
    endedAtNs: BigInt(row.ended_ns),
    status: row.status,
    layer: row.layer,
    facts: row.facts,
    links: row.link_ids.map(([traceId, spanId]) => ({ traceId, spanId })),
    linked,
  };
}

/** By start; of spans that start together the longer first, since it is the likelier parent. */
function byStart(a: SpanSkeleton, b: SpanSkeleton): number {
  if (a.startedAtNs !== b.startedAtNs) return a.startedAtNs < b.startedAtNs ? -1 : 1;
  if (a.endedAtNs !== b.endedAtNs) return a.endedAtNs > b.endedAtNs ? -1 : 1;
  return a.spanId < b.spanId ? -1 : 1;
}
