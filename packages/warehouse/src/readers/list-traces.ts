/**
 * Runs, newest first: one row per trace, by its root, or while no root has arrived by its earliest span.
 * Two steps: which traces are on the page (over their summaries), then what their faces say (by primary key). What is
 * asked for by nothing but its id has narrower questions: read-trace-head.ts.
 * An outcome belongs to the run it names; one that names no run counts for its trace, task or session.
 */
import { formatDecimal } from "@centspan/base";
import { type Page, type PageRequest, PROVENANCES, type TraceFilter, type TraceSummary } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import {
  allOf,
  and,
  type Conditions,
  FILTER_COLUMNS,
  NO_CONDITION,
  whereAttribute,
  whereBehindCursor,
  whereColumns,
  whereEquals,
  whereIn,
  whereInRange,
} from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { cutPage } from "../cursor.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";
import {
  KEY_OF_FACE,
  TITLES_OF_FACE,
  type TraceFaceRow,
  type TraceSpendRow,
  toTraceSummary,
} from "../rows/trace-row.ts";
import { readTraceHead } from "./read-trace-head.ts";
import { RUN_DURATION, RUN_SPEND } from "./run-spend.ts";
import { type LinkKind, linkTo, RUN_LINKS, selectLinkedOutcomes, selectVerdicts } from "./verdicts.ts";

export async function listTraces(
  connection: Connection,
  workspace: string,
  filter: TraceFilter,
  page: PageRequest,
): Promise<Page<TraceSummary>> {
  if (filter.traceId !== undefined && page.cursor === null && asksForNothingElse(filter)) {
    const head = await readTraceHead(connection, workspace, filter.traceId);
    return { data: head === null ? [] : [head], nextCursor: null };
  }
  const ofTrace = allOf(
    whereTrace(filter),
    whereInRange(filter, "started_at"),
    whereBehindCursor(page, "started_at", "trace_id"),
  );
  const ofRow = whereWorth(filter);
  const rows = await connection.query<TraceSpendRow>(selectPage(ofTrace, ofRow), {
    ...ofTrace.params,
    ...ofRow.params,
    workspace,
    limit: page.limit + 1,
  });
  const cut = cutPage(rows, page.limit, (row) => ({ atNs: BigInt(row.started_ns), id: row.trace_id }));
  return { ...cut, data: await describeTraces(connection, workspace, cut.data) };
}

const asksForNothingElse = ({ traceId: _known, ...filter }: TraceFilter): boolean =>
  Object.values(filter).every((value) => value === undefined || value === false);

/** A trace matches when one call of it matches as a whole; what spans carry too also matches before there are calls. */
function whereTrace({ traceId, sessionId, tasks, attribute, onlyRuns, ...filter }: TraceFilter): Conditions {
  const equal = whereEquals(filter);
  const ofSession = whereColumns({ session_id: sessionId });
  const calls = allOf(equal, ofSession, whereTasks(tasks, "task"));
  const matches = [`trace_id IN (SELECT trace_id FROM calls FINAL WHERE workspace = {workspace:String}${and(calls)})`];
  const { key, keyId, provider, model, taskType, repository } = filter;
  if ([key, keyId, provider, model, taskType, repository].every((value) => value === undefined)) {
    const identity = allOf(
      whereEquals(filter, (name) => `identity.${FILTER_COLUMNS[name]}`),
      sessionId === undefined ? NO_CONDITION : { sql: ["identity.session_id = {session_id:String}"], params: {} },
      whereTasks(tasks, "identity.task"),
    );
    matches.push(`arrayExists(identity -> true${and(identity)}, identities)`);
  }
  const ofAttribute = whereAttribute(attribute);
  return allOf(
    whereColumns({ trace_id: traceId }),
    calls.sql.length === 0 ? NO_CONDITION : { sql: [`(${matches.join(" OR ")})`], params: calls.params },
    attribute === undefined
      ? NO_CONDITION
      : {
          sql: [`trace_id IN (SELECT trace_id FROM spans WHERE workspace = {workspace:String}${and(ofAttribute)})`],
          params: ofAttribute.params,
        },
    onlyRuns ? { sql: [IS_RUN], params: {} } : NO_CONDITION,
  );
}

const whereTasks = (tasks: readonly string[] | undefined, column: string): Conditions =>
  tasks === undefined ? NO_CONDITION : whereIn("tasks", column, tasks);

const IS_RUN = "(run_id != '' OR trace_id IN (SELECT trace_id FROM calls FINAL WHERE workspace = {workspace:String}))";

/** What only shows when a trace is put together with its calls and its outcome. */
function whereWorth({ status, minCostUsd }: TraceFilter): Conditions {
  return {
    sql: [
      ...(status === undefined ? [] : ["outcome = {status:String}"]),
      ...(minCostUsd === undefined ? [] : ["cost_usd >= {minCostUsd:Decimal(38, 12)}"]),
    ],
    params: {
      ...(status === undefined ? {} : { status }),
      ...(minCostUsd === undefined ? {} : { minCostUsd: formatDecimal(minCostUsd) }),
    },
  };
}

/** Where a run has the ids that an outcome may name. */
const LINK_COLUMNS: Record<LinkKind, string> = {
  run: "run",
  trace: "trace_id",
  task: "own_task",
  session: "session",
};

const NEWEST_FIRST = "ORDER BY started_at DESC, trace_id DESC LIMIT {limit:UInt32}";

function selectPage(ofTrace: Conditions, ofRow: Conditions): string {
  const statuses = ["tests", "other"].flatMap((kind) => RUN_LINKS.map((link) => `by_${link}.${kind}_status`));
  // Where nothing depends on calls and outcomes, they are put to the rows of the page alone.
  const cut = ofRow.sql.length === 0 ? NEWEST_FIRST : "";
  return `WITH
     runs AS (
       SELECT * FROM traces FINAL
       WHERE workspace = {workspace:String}${and(ofTrace)}
       ${cut}
     ),
     spend AS (
       SELECT trace_id, ${RUN_SPEND}
       FROM calls FINAL
       WHERE workspace = {workspace:String} AND trace_id IN (SELECT trace_id FROM runs)
       GROUP BY trace_id
     ),
     named AS (
       SELECT trace_id, face_id, name, has_root, started_at, spans, errors,
         ${RUN_DURATION} AS duration_ns,
         if(run_id != '', run_id, first_run_id) AS run, if(task != '', task, first_task) AS own_task,
         first_session_id AS session, first_task_type AS task_type,
         first_key AS key, if(first_team != '', first_team, team) AS own_team,
         if(first_model != '', first_model, model) AS own_model,
         calls, spent_usd AS cost_usd, ${PROVENANCES.join(", ")}
       FROM runs LEFT JOIN spend USING (trace_id)
     ),
     verdicts AS (${selectVerdicts(`(${selectLinkedOutcomes(RUN_LINKS)})`, "link")})
   SELECT named.*, ${nanoseconds("started_at")} AS started_ns,
     arrayFirst(status -> status != '', [${statuses.join(", ")},
       if(run = '' AND own_task = '', '', 'pending')]) AS outcome
   FROM named
   ${RUN_LINKS.map(
     (kind) => `LEFT JOIN verdicts AS by_${kind} ON by_${kind}.link = ${linkTo(kind, `named.${LINK_COLUMNS[kind]}`)}`,
   ).join("\n   ")}
   WHERE true${and(ofRow)}
   ${NEWEST_FIRST}`;
}

/** What is shown of a row and never asked for: read from the span itself, by its key. */
async function describeTraces(
  connection: Connection,
  workspace: string,
  rows: readonly TraceSpendRow[],
): Promise<TraceSummary[]> {
  const faceIds = new Map(rows.map((row) => [row.trace_id, row.face_id]));
  const faces = await queryInChunks([...faceIds.keys()], (traceIds) => {
    const spanIds = traceIds.map((id) => faceIds.get(id));
    return connection.query<TraceFaceRow>(SELECT_FACES, { workspace, traceIds, spanIds });
  });
  const faceOf = new Map(
    faces.filter((face) => faceIds.get(face.trace_id) === face.span_id).map((face) => [face.trace_id, face]),
  );
  return rows.map((row) => toTraceSummary(row, faceOf.get(row.trace_id)));
}

const SELECT_FACES = `SELECT trace_id, span_id,
    ${TITLES_OF_FACE}, attributes['centspan.task.type'] AS task_type,
    ${KEY_OF_FACE} AS key
  FROM spans
  WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} AND span_id IN {spanIds:Array(String)}
  ${FIRST_RECEIVED}`;
