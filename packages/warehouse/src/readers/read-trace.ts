/**
 * The skeleton of one trace, and of the spans elsewhere that its spans link to: the engine steps that served it.
 * Links that resolve to nothing are left to the reader of the skeleton, who sees them on the span.
 */
import { assert } from "@centspan/base";
import type { SpanSkeleton, SpanStatus, SpanStore, StoredTrace } from "@centspan/model";
import type { Columns, Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";
import { FACT_ATTRIBUTES, FACT_CHARACTERS } from "./row-facts.ts";

const SKELETON_COLUMNS = `span_id, parent_span_id, name, service, status, layer,
  ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
  mapApply(
    (name, value) -> (name, substringUTF8(value, 1, {factCharacters:UInt32})),
    mapFilter((name, value) -> has({factNames:Array(String)}, name), attributes)
  ) AS facts,
  arrayMap(link -> (link.trace_id, link.span_id), links) AS link_ids`;

const IN_TRACE = "workspace = {workspace:String} AND trace_id = {traceId:String}";

type SkeletonRow = {
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
type LinkedRow = SkeletonRow & { trace_id: string };

export async function readTrace(connection: Connection, workspace: string, traceId: string): Promise<StoredTrace> {
  const params = { workspace, traceId, factNames: FACT_ATTRIBUTES, factCharacters: FACT_CHARACTERS };
  const [spans, conflictingSpanIds] = await Promise.all([
    readRows(connection, { ...params, sql: IN_TRACE, linked: true }),
    listConflicts(connection, workspace, traceId),
  ]);
  return { spans, conflictingSpanIds };
}

export async function readSpanRows(
  connection: Connection,
  workspace: string,
  traceId: string,
  of: Parameters<SpanStore["readSpanRows"]>[2],
): Promise<SpanSkeleton[]> {
  const params = { workspace, traceId, factNames: FACT_ATTRIBUTES, factCharacters: FACT_CHARACTERS, ...of };
  if ("spanIds" in of) {
    return readRows(connection, {
      ...params,
      sql: `${IN_TRACE} AND span_id IN {spanIds:Array(String)}`,
      linked: of.linked,
    });
  }
  // The name first, which is narrow: attributes are read of those alone that have it.
  const rows = await connection.queryColumns<SkeletonRow>(
    `SELECT ${SKELETON_COLUMNS} FROM spans PREWHERE ${IN_TRACE} AND name = {name:String} ${FIRST_RECEIVED} LIMIT {limit:UInt32}`,
    params,
  );
  return toSkeletons(rows, () => traceId, false).sort(byStart);
}

type Wanted = { sql: string; linked: boolean; traceId: string };

async function readRows(connection: Connection, { sql, linked, ...params }: Wanted): Promise<SpanSkeleton[]> {
  const { traceId } = params;
  const own = await connection.queryColumns<SkeletonRow>(
    `SELECT ${SKELETON_COLUMNS} FROM spans WHERE ${sql} ${FIRST_RECEIVED}`,
    params,
  );
  const spans = toSkeletons(own, () => traceId, false);
  if (linked && spans.some(({ links }) => links.some((link) => link.traceId !== traceId))) {
    const there = await connection.queryColumns<LinkedRow>(selectLinked(sql), params);
    spans.push(...toSkeletons(there, (index) => take(there.trace_id, index), true));
  }
  return spans.sort(byStart);
}

export async function listConflicts(connection: Connection, workspace: string, traceId: string): Promise<string[]> {
  const rows = await connection.query<{ span_id: string }>(
    `SELECT span_id FROM spans WHERE ${IN_TRACE}
     GROUP BY span_id HAVING min(content_hash) != max(content_hash) ORDER BY span_id`,
    { workspace, traceId },
  );
  return rows.map((row) => row.span_id);
}

const selectLinked = (sql: string): string => `SELECT trace_id, ${SKELETON_COLUMNS} FROM spans
  WHERE workspace = {workspace:String} AND (trace_id, span_id) IN (
    SELECT link.trace_id, link.span_id
    FROM (SELECT trace_id, span_id, links FROM spans WHERE ${sql} ${FIRST_RECEIVED})
    ARRAY JOIN links AS link
    WHERE link.trace_id != {traceId:String}
  )
  ${FIRST_RECEIVED}`;

const toSkeletons = (
  columns: Columns<SkeletonRow>,
  traceIdOf: (index: number) => string,
  linked: boolean,
): SpanSkeleton[] =>
  columns.span_id.map((spanId, index) => ({
    traceId: traceIdOf(index),
    spanId,
    parentSpanId: take(columns.parent_span_id, index),
    name: take(columns.name, index),
    service: take(columns.service, index),
    startedAtNs: BigInt(take(columns.started_ns, index)),
    endedAtNs: BigInt(take(columns.ended_ns, index)),
    status: take(columns.status, index),
    layer: take(columns.layer, index),
    facts: take(columns.facts, index),
    links: take(columns.link_ids, index).map(([linkedTrace, id]) => ({ traceId: linkedTrace, spanId: id })),
    linked,
  }));

function take<Value>(column: readonly Value[], index: number): Value {
  const value = column[index];
  assert(value !== undefined, "columns of one length");
  return value;
}

/** By start; of spans that start together the longer first, since it is the likelier parent. */
function byStart(a: SpanSkeleton, b: SpanSkeleton): number {
  if (a.startedAtNs !== b.startedAtNs) return a.startedAtNs < b.startedAtNs ? -1 : 1;
  if (a.endedAtNs !== b.endedAtNs) return a.endedAtNs > b.endedAtNs ? -1 : 1;
  return a.spanId < b.spanId ? -1 : 1;
}
