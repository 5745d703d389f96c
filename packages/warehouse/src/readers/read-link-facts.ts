/** What decides on links: outcomes, where the work of tasks was seen, whose tasks subjects name, and what was decided before. */
import type { LinkedBy, LinkFacts, OutcomeLink, SubjectTasks, TaskMark } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { fromOutcomeRow, OUTCOME_COLUMNS, type OutcomeRow } from "../rows/outcome-row.ts";
import { LATEST_DECISIONS } from "./verdicts.ts";

export type MarkRow = Omit<TaskMark, "atNs" | "isSession" | "pullRequest" | "patchId"> & {
  at_ns: string;
  pull_request: string;
  patch_id: string;
  is_session: number | boolean;
};
type SubjectRow = { outcome_id: string; member: SubjectTasks["member"]; tasks: string[] };
type DecisionRow = { outcome_id: string; decision: [string[], LinkedBy | "", string, string] };

const SINCE = `workspace = {workspace:String} AND at >= ${instantParam("sinceNs")}`;
/** Outcomes come after the work that they are of. */
const CALLS = `SELECT task, run_id, trace_id, session_id, [trace_id] AS trace_ids FROM calls FINAL
  WHERE workspace = {workspace:String} AND task != '' AND at >= ${instantParam("sinceNs")} - INTERVAL 90 DAY`;

/** Where work of tasks was seen: traces and sessions, and whether nothing but the session names the task. */
export const selectPlaces = (work: string): string =>
  `SELECT DISTINCT arrayJoin(arrayConcat([('session', session_id)], arrayMap(id -> ('trace', id), trace_ids))) AS place,
     task, task = session_id AS is_session
   FROM (${work})`;

export const selectMarks = (
  where: string,
  places: string,
): string => `SELECT task, is_session, repository, branch, commit, pull_request, patch_id, ${nanoseconds("min(at)")} AS at_ns
  FROM (
    SELECT mark.*, own.task AS task, own.is_session AS is_session
    FROM (SELECT * FROM work_marks FINAL WHERE ${SINCE} AND ${where}) AS mark
    INNER JOIN (${places}) AS own ON own.place = if(mark.trace_id != '', ('trace', mark.trace_id), ('session', mark.session_id))
    WHERE own.place.2 != ''
  )
  GROUP BY task, is_session, trace_id, session_id, repository, branch, commit, pull_request, patch_id
  ORDER BY at_ns, task`;

const MEMBERS = "arrayJoin([('task', task), ('run', run_id), ('trace', trace_id), ('session', session_id)])";

const SELECT_SUBJECTS = `SELECT outcome_id, named.1 AS member, groupUniqArray(own.task) AS tasks
  FROM (SELECT outcome_id, ${MEMBERS} AS named FROM outcomes FINAL WHERE ${SINCE}) AS said
  INNER JOIN (SELECT DISTINCT task, ${MEMBERS} AS named FROM (${CALLS})) AS own USING (named)
  WHERE named.2 != ''
  GROUP BY outcome_id, named
  ORDER BY outcome_id, indexOf(['task', 'run', 'trace', 'session'], named.1)`;

export async function readLinkFacts(connection: Connection, workspace: string, sinceNs: bigint): Promise<LinkFacts> {
  const params = { workspace, sinceNs: sinceNs.toString() };
  const [outcomes, marks, subjects, decisions] = await Promise.all([
    connection.query<OutcomeRow>(
      `SELECT ${OUTCOME_COLUMNS} FROM outcomes FINAL WHERE ${SINCE} AND kind != 'custom' ORDER BY at, outcome_id`,
      params,
    ),
    connection.query<MarkRow>(selectMarks("true", selectPlaces(CALLS)), params),
    connection.query<SubjectRow>(SELECT_SUBJECTS, params),
    connection.query<DecisionRow>(LATEST_DECISIONS, params),
  ]);
  const tasksOf = new Map<string, SubjectTasks[]>();
  for (const { outcome_id, member, tasks } of subjects)
    tasksOf.set(outcome_id, [...(tasksOf.get(outcome_id) ?? []), { member, tasks: tasks.sort() }]);
  return {
    outcomes: outcomes.map(fromOutcomeRow),
    marks: marks.map(fromMarkRow),
    tasksOf,
    links: new Map(decisions.map((row) => [row.outcome_id, toLink(row)])),
  };
}

export const fromMarkRow = ({ at_ns, pull_request, patch_id, is_session, ...mark }: MarkRow): TaskMark => ({
  ...mark,
  atNs: BigInt(at_ns),
  pullRequest: pull_request,
  patchId: patch_id,
  isSession: Boolean(is_session),
});

const toLink = ({ outcome_id, decision: [tasks, linkedBy, reason, decidedBy] }: DecisionRow): OutcomeLink => ({
  outcomeId: outcome_id,
  tasks,
  linkedBy: linkedBy === "" ? null : linkedBy,
  reason,
  decidedBy,
});
