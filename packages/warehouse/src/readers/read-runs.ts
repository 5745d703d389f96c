/**
 * All that is known of runs: their calls, the spans around them without a replica's own, and what became of them.
 * Traces of a run are those with news and those whose summaries name it; larger ones than a page could show are left out.
 */
import type { ChangedRun, OutcomeStatus, RatedCall, RunFacts, SpanRecord } from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { CALL_COLUMNS, type CallRow, fromCallRow } from "../rows/call-row.ts";
import { FIRST_RECEIVED, fromSpanRow, type SpanRow } from "../rows/span-row.ts";
import { IS_TOO_LARGE, IS_WATCHED, RUN_NAME } from "./runs.ts";
import { LINK_COLUMNS, linkTo, RUN_LINKS, selectLinkedOutcomes, selectVerdicts } from "./verdicts.ts";
import { selectPieces } from "./work-rows.ts";

type Named = CallRow & { run: string };
type Wanted = Omit<ChangedRun, "workspace">;

export async function readRuns(
  connection: Connection,
  workspace: string,
  runs: readonly Wanted[],
  attributeNames: readonly string[],
): Promise<Map<string, RunFacts>> {
  const traceIds = await findTraces(connection, workspace, runs);
  const rows = await queryInChunks(traceIds, (chunk) =>
    connection.query<Named>(
      `SELECT ${RUN_NAME} AS run, ${CALL_COLUMNS} FROM calls FINAL
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} AND ${IS_WATCHED}`,
      { workspace, traceIds: chunk },
    ),
  );
  const spans = await readSpans(connection, workspace, traceIds, attributeNames);
  const outcomes = await readOutcomes(connection, workspace, traceIds);
  const facts = new Map<string, RunFacts>();
  for (const { run } of runs) {
    const calls = rows.filter((row) => row.run === run).map(fromCallRow);
    if (calls.length > 0) facts.set(run, { calls, spans: listAround(calls, run, spans), outcomes });
  }
  return facts;
}

/** Those with news, whether spans of them are there or not, and those whose summaries name a run. */
async function findTraces(connection: Connection, workspace: string, runs: readonly Wanted[]): Promise<string[]> {
  const named = (kind: string): string[] =>
    runs.flatMap(({ run }) => (run.startsWith(`${kind} `) ? [run.slice(kind.length + 1)] : []));
  const traceIds = runs.flatMap((run) => run.traceIds);
  const rows = await connection.query<{ trace_id: string; is_too_large: boolean | number }>(
    `SELECT trace_id, ${IS_TOO_LARGE} AS is_too_large FROM traces FINAL
     WHERE workspace = {workspace:String} AND (
       trace_id IN {traceIds:Array(String)}
       OR arrayExists(of -> has({runIds:Array(String)}, of.run_id) OR has({sessionIds:Array(String)}, of.session_id), identities)
     )`,
    { workspace, traceIds, runIds: named("run"), sessionIds: named("session") },
  );
  const found = new Set([...traceIds, ...rows.map(({ trace_id }) => trace_id)]);
  for (const { trace_id, is_too_large } of rows) if (is_too_large) found.delete(trace_id);
  return [...found];
}

type Around = { span: SpanRecord; runId: string };

/** Spans of the run's traces that are its own or nobody's. */
function listAround(calls: readonly RatedCall[], run: string, byTrace: ReadonlyMap<string, Around[]>): SpanRecord[] {
  const traceIds = new Set(calls.map(({ traceId }) => traceId));
  const isOwn = ({ runId }: Around): boolean => runId === "" || run === `run ${runId}` || !run.startsWith("run ");
  return [...traceIds].flatMap((id) => (byTrace.get(id) ?? []).filter(isOwn).map(({ span }) => span));
}

type NamedSpanRow = Omit<SpanRow, "event_rows" | "link_rows"> & { run_id: string };

async function readSpans(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
  attributeNames: readonly string[],
): Promise<Map<string, Around[]>> {
  const rows = await queryInChunks(ids, (traceIds) =>
    connection.query<NamedSpanRow>(
      `SELECT trace_id, span_id, parent_span_id, name, kind, service, status, status_message, scope_name, trusted,
         run_id,
         ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
         mapFilter((name, value) -> has({attributeNames:Array(String)}, name), spans.attributes) AS attributes,
         map() AS resource_attributes
       FROM spans
       WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} AND layer != '' AND NOT of_replica
       ${FIRST_RECEIVED}`,
      { workspace, traceIds, attributeNames },
    ),
  );
  const byTrace = new Map<string, Around[]>();
  for (const { run_id, ...row } of rows) {
    const around = { span: fromSpanRow({ ...row, event_rows: [], link_rows: [] }), runId: run_id };
    const trace = byTrace.get(row.trace_id);
    if (trace) trace.push(around);
    else byTrace.set(row.trace_id, [around]);
  }
  return byTrace;
}

/** Of each call, by the strongest link that it has. */
async function readOutcomes(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<Map<string, OutcomeStatus>> {
  const calls = `SELECT call_id, ${Object.values(LINK_COLUMNS).join(", ")}, at FROM calls FINAL
    WHERE workspace = {workspace:String} AND trace_id IN {traceIds:Array(String)} AND ${IS_WATCHED}`;
  const rows = await queryInChunks(ids, (traceIds) =>
    connection.query<{ call_id: string; status: OutcomeStatus }>(
      `WITH verdicts AS (${selectVerdicts(`(${selectLinkedOutcomes(RUN_LINKS)})`, "link")})
       SELECT call_id, argMin(standing, place) AS status FROM (
         SELECT call_id, arrayJoin(arrayZip(
             [${RUN_LINKS.map((kind) => linkTo(kind, LINK_COLUMNS[kind])).join(", ")}], [${RUN_LINKS.map((_kind, place) => place).join(", ")}]
           )) AS named, named.1 AS link, named.2 AS place
         FROM (${selectPieces(calls)})
       ) AS links
       INNER JOIN verdicts USING (link)
       WHERE link.2 != '' AND standing != ''
       GROUP BY call_id`,
      { workspace, traceIds },
    ),
  );
  return new Map(rows.map(({ call_id, status }) => [call_id, status]));
}
