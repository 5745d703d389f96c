/**
 * Runs, newest first: one row per trace, by its root, or while no root has arrived by its earliest span.
 * Two steps: which traces are on the page (over narrow columns), then what their spans say (by primary key).
 * An outcome belongs to the run it names; one that names no run counts for its trace, task or session.
 */
import { assert, formatDecimal } from "@centspan/base";
import { type Page, type PageRequest, PROVENANCES, type TraceFilter, type TraceSummary } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import { allOf, and, type Conditions, whereBehindCursor, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { cutPage } from "../cursor.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";
import { type TraceExtentRow, type TraceFaceRow, type TraceSpendRow, toTraceSummary } from "../rows/trace-row.ts";
import { type LinkKind, linkTo, selectLinkedOutcomes } from "./verdicts.ts";

export async function listTraces(
  connection: Connection,
  workspace: string,
  filter: TraceFilter,
  page: PageRequest,
): Promise<Page<TraceSummary>> {
  const ofTrace = whereTrace(filter);
  const ofRow = allOf(
    whereInRange(filter, "started_at"),
    whereBehindCursor(page, "started_at", "trace_id"),
    whereWorth(filter),
  );
  const rows = await connection.query<TraceSpendRow>(selectPage(ofTrace, ofRow), {
    ...ofTrace.params,
    ...ofRow.params,
    workspace,
    limit: page.limit + 1,
  });
  const cut = cutPage(rows, page.limit, (row) => ({ atNs: BigInt(row.started_ns), id: row.trace_id }));
  return { ...cut, data: await describeTraces(connection, workspace, cut.data) };
}

/** A trace matches when one call of it matches as a whole; what spans carry too also matches before there are calls. */
function whereTrace({ traceId, ...filter }: TraceFilter): Conditions {
  const own: Conditions =
    traceId === undefined ? { sql: [], params: {} } : { sql: ["trace_id = {traceId:String}"], params: { traceId } };
  const equal = whereEquals(filter);
  if (equal.sql.length === 0) return own;
  const sources = ["calls FINAL"];
  const { key, keyId, model, taskType, repository } = filter;
  if ([key, keyId, model, taskType, repository].every((value) => value === undefined)) sources.push("spans");
  const matches = sources.map(
    (source) => `trace_id IN (SELECT trace_id FROM ${source} WHERE workspace = {workspace:String}${and(equal)})`,
  );
  return allOf(own, { sql: [`(${matches.join(" OR ")})`], params: equal.params });
}

function whereWorth({ status, minCostUsd, onlyRuns }: TraceFilter): Conditions {
  return {
    sql: [
      ...(status === undefined ? [] : ["outcome = {status:String}"]),
      ...(minCostUsd === undefined ? [] : ["cost_usd >= {minCostUsd:Decimal(38, 12)}"]),
      ...(onlyRuns ? ["(calls > 0 OR run_id != '')"] : []),
    ],
    params: {
      ...(status === undefined ? {} : { status }),
      ...(minCostUsd === undefined ? {} : { minCostUsd: formatDecimal(minCostUsd) }),
    },
  };
}

/** What an outcome of a run may name, strongest first, and where the run has its id. */
const OUTCOME_LINKS: readonly [LinkKind, string][] = [
  ["run", "run_id"],
  ["trace", "trace_id"],
  ["task", "task"],
  ["session", "session_id"],
];
const LINK_KINDS = OUTCOME_LINKS.map(([kind]) => kind);

function selectPage(ofTrace: Conditions, ofRow: Conditions): string {
  const statuses = ["tests", "other"].flatMap((kind) => LINK_KINDS.map((link) => `by_${link}.${kind}_status`));
  return `WITH
     runs AS (
       SELECT trace_id, argMin(
         (span_id, started_at, run_id, task),
         (parent_span_id != '', started_at, received_at, span_id, content_hash)
       ) AS face
       FROM spans
       WHERE workspace = {workspace:String} AND NOT of_replica${and(ofTrace)}
       GROUP BY trace_id
     ),
     spend AS (
       SELECT trace_id, count() AS calls, sum(cost_usd) AS spent_usd,
         ${["run_id", "task", "task_type", "session_id", "key", "team", "model"]
           .map((column) => `argMin(${column}, (at, call_id)) AS first_${column}`)
           .join(", ")},
         ${PROVENANCES.map((kind) => `sumIf(cost_usd, provenance = '${kind}') AS ${kind}`).join(", ")}
       FROM calls FINAL
       WHERE workspace = {workspace:String}${and(ofTrace)}
       GROUP BY trace_id
     ),
     named AS (
       SELECT trace_id, face.1 AS face_id, face.2 AS started_at,
         if(face.3 != '', face.3, first_run_id) AS run_id, if(face.4 != '', face.4, first_task) AS task,
         first_session_id AS session_id, first_task_type AS task_type,
         first_key AS key, first_team AS team, first_model AS model,
         calls, spent_usd AS cost_usd, ${PROVENANCES.join(", ")}
       FROM runs LEFT JOIN spend USING (trace_id)
     ),
     verdicts AS (
       SELECT link,
         argMaxIf(status, (at, outcome_id), kind = 'tests') AS tests_status,
         argMaxIf(status, (at, outcome_id), kind != 'tests') AS other_status
       FROM (${selectLinkedOutcomes(LINK_KINDS)})
       GROUP BY link
     )
   SELECT named.*, ${nanoseconds("started_at")} AS started_ns,
     arrayFirst(status -> status != '', [${statuses.join(", ")},
       if(run_id = '' AND task = '', '', 'pending')]) AS outcome
   FROM named
   ${OUTCOME_LINKS.map(
     ([kind, column]) => `LEFT JOIN verdicts AS by_${kind} ON by_${kind}.link = ${linkTo(kind, `named.${column}`)}`,
   ).join("\n   ")}
   WHERE true${and(ofRow)}
   ORDER BY started_at DESC, trace_id DESC
   LIMIT {limit:UInt32}`;
}

async function describeTraces(
  connection: Connection,
  workspace: string,
  rows: readonly TraceSpendRow[],
): Promise<TraceSummary[]> {
  const faceIds = new Map(rows.map((row) => [row.trace_id, row.face_id]));
  const ids = [...faceIds.keys()];
  const [faces, extents] = await Promise.all([
    queryInChunks(ids, (traceIds) => {
      const spanIds = traceIds.map((id) => faceIds.get(id));
      return connection.query<TraceFaceRow>(SELECT_FACES, { workspace, traceIds, spanIds });
    }),
    queryInChunks(ids, (traceIds) => connection.query<TraceExtentRow>(SELECT_EXTENTS, { workspace, traceIds })),
  ]);
  const faceOf = new Map(faces.filter((face) => faceIds.get(face.trace_id) === face.span_id).map(byTrace));
  const extentOf = new Map(extents.map(byTrace));
  return rows.map((row) => {
    const face = faceOf.get(row.trace_id);
    const extent = extentOf.get(row.trace_id);
    assert(face && extent, "a span that was found a moment ago is still there");
    return toTraceSummary(row, face, extent);
  });
}

const byTrace = <T extends { trace_id: string }>(row: T): [string, T] => [row.trace_id, row];

const SELECT_FACES = `SELECT trace_id, span_id, name, parent_span_id = '' AS is_root, ended_ns - started_ns AS duration_ns,
    ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
    attributes['centspan.task.title'] AS title, attributes['centspan.task.type'] AS task_type,
    attributes['centspan.key.name'] AS key, team, attributes['gen_ai.request.model'] AS model
  FROM spans
  WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} AND span_id IN {spanIds:Array(String)}
  ${FIRST_RECEIVED}`;

const SELECT_EXTENTS = `SELECT trace_id, count() AS spans, countIf(status = 'error') AS errors,
    ${nanoseconds("max(ended_at)")} - ${nanoseconds("min(started_at)")} AS duration_ns
  FROM (
    SELECT trace_id, span_id, status, started_at, ended_at FROM spans
    WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)}
    ${FIRST_RECEIVED}
  )
  GROUP BY trace_id`;
