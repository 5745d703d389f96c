/**
 * One run by its id, as a list of runs would say it. Each question is narrow and by key, because of one that joins them all
 * the planning alone takes longer than these together; what it joins, the few rows here, is joined in place.
 */
import type { Provenance, TraceSummary } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";
import {
  KEY_OF_FACE,
  TITLES_OF_FACE,
  type TraceFaceRow,
  type TraceSpendRow,
  toTraceSummary,
} from "../rows/trace-row.ts";
import { RUN_DURATION, RUN_SPEND } from "./run-spend.ts";
import { type LinkKind, RUN_LINKS, selectLinkedOutcomes, selectVerdicts } from "./verdicts.ts";

type HeadRow = Pick<
  TraceSpendRow,
  "trace_id" | "face_id" | "name" | "started_ns" | "duration_ns" | "spans" | "errors"
> & { run_id: string; task: string; team: string; model: string };

type SpendRow = Pick<TraceSpendRow, "calls" | Provenance> & {
  spent_usd: string | null;
  first_run_id: string;
  first_task: string;
  first_task_type: string;
  first_session_id: string;
  first_key: string;
  first_team: string;
  first_model: string;
};

const OF_TRACE = "workspace = {workspace:String} AND trace_id = {traceId:String}";

/** The latest revision, without the server's own way to it, which reads every column to merge them. */
const SELECT_HEAD = `SELECT trace_id, face_id, name, ${nanoseconds("started_at")} AS started_ns,
    ${RUN_DURATION} AS duration_ns, spans, errors, run_id, task, team, model
  FROM traces WHERE ${OF_TRACE} ORDER BY revision DESC LIMIT 1`;

/** Of no calls too it is one row, which says nothing. */
const SELECT_SPEND = `SELECT ${RUN_SPEND} FROM calls FINAL WHERE ${OF_TRACE}`;

const SELECT_FACE = `SELECT trace_id, span_id, ${TITLES_OF_FACE},
    attributes['centspan.task.type'] AS task_type, ${KEY_OF_FACE} AS key
  FROM spans WHERE ${OF_TRACE} AND span_id = {faceId:String} ${FIRST_RECEIVED}`;

export async function readTraceHead(
  connection: Connection,
  workspace: string,
  traceId: string,
): Promise<TraceSummary | null> {
  const ofTrace = { workspace, traceId };
  const [[head], [spend]] = await Promise.all([
    connection.query<HeadRow>(SELECT_HEAD, ofTrace),
    connection.query<SpendRow>(SELECT_SPEND, ofTrace),
  ]);
  if (head === undefined || spend === undefined) return null;
  const [run, task] = [head.run_id || spend.first_run_id, head.task || spend.first_task];
  const [[face], outcome] = await Promise.all([
    connection.query<TraceFaceRow>(SELECT_FACE, { ...ofTrace, faceId: head.face_id }),
    readOutcome(connection, workspace, { run, trace: traceId, task, session: spend.first_session_id }),
  ]);
  const row: TraceSpendRow = {
    ...spend,
    ...head,
    run,
    own_task: task,
    task_type: spend.first_task_type,
    key: spend.first_key,
    own_team: spend.first_team || head.team,
    own_model: spend.first_model || head.model,
    cost_usd: spend.spent_usd,
    outcome: outcome || (run === "" && task === "" ? "" : "pending"),
  };
  return toTraceSummary(row, face);
}

type Status = TraceSpendRow["outcome"];
type VerdictRow = { named: LinkKind; tests_status: Status; other_status: Status };

/** Empty where nothing says how the run went. */
async function readOutcome(connection: Connection, workspace: string, ids: Record<LinkKind, string>): Promise<Status> {
  const verdicts = await connection.query<VerdictRow>(
    `SELECT link.1 AS named, tests_status, other_status
     FROM (${selectVerdicts(`(${selectLinkedOutcomes(RUN_LINKS)})`, "link")})
     WHERE link IN (${RUN_LINKS.map((kind) => `('${kind}', {${kind}:String})`).join(", ")})`,
    { ...ids, workspace },
  );
  const inOrder = RUN_LINKS.flatMap((link) => verdicts.find(({ named }) => named === link) ?? []);
  const said = [...inOrder.map((verdict) => verdict.tests_status), ...inOrder.map((verdict) => verdict.other_status)];
  return said.find((status) => status !== "") ?? "";
}
