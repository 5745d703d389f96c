/**
 * Tasks as questions about them begin: what each spent, by its runs, and where it stands. A task belongs to the cohort of its first
 * call ever: the filter chooses tasks by that call, with all that they ever spent, so that a pass is in one period, together with
 * what it cost. Spend without a task comes as one row per group, with the same filters on the calls themselves.
 * Sessions that shared a piece of work, or changed from one to another, count as these pieces (work_stretches).
 */
import type { TaskQuestion, TimeRange } from "@centspan/model";
import { and, FILTER_COLUMNS, listFilterColumns, NO_CONDITION, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection, QueryParams } from "../connection.ts";
import { readCount } from "../counts.ts";
import { nanoseconds } from "../instants.ts";
import { fitsDays, GROUP_COLUMNS, requireTimeZone } from "./groups.ts";
import { type LinkKind, linkTo, selectLinkedOutcomes, selectVerdicts } from "./verdicts.ts";
import { FIRST, readWork } from "./work-rows.ts";

/** What a subject may name instead of its task, and the column of both calls and outcomes that has it. */
const MEMBERS = [
  ["run", "run_id"],
  ["trace", "trace_id"],
  ["session", "session_id"],
] as const satisfies readonly [LinkKind, string][];

/** What of the workspace's outcomes and sessions the question has to look at: most have outcomes that name their task. */
async function readLinkNeeds(connection: Connection, workspace: string) {
  const [needs] = await connection.query<{ stretches: string; members: number[] }>(
    `SELECT (SELECT count() FROM work_stretches FINAL WHERE workspace = {workspace:String}) AS stretches,
       [${MEMBERS.map(([, column]) => `countIf(task = '' AND ${column} != '') > 0`).join(", ")}] AS members
     FROM outcomes WHERE workspace = {workspace:String}`,
    { workspace },
  );
  return {
    hasStretches: needs !== undefined && readCount(needs.stretches) > 0,
    members: MEMBERS.filter((_, index) => Boolean(needs?.members[index])),
  };
}

/** Those that an outcome without a task names. */
const selectNamed = (column: string): string =>
  `SELECT ${column} FROM outcomes WHERE workspace = {workspace:String} AND task = '' AND ${column} != ''`;

/**
 * Answers by `ask`, which is given two tables and their parameters. `spend`: spender, first (its group, team, …), spent_usd,
 * simulated, spent_calls, unpriced, began_at and runs (when it began, which, what it spent), in order. `said`: outcomes by spender.
 */
export async function readTasks<Answer>(
  connection: Connection,
  workspace: string,
  query: TaskQuestion,
  ask: (tables: string, params: QueryParams) => Promise<Answer>,
): Promise<Answer> {
  const { hasStretches, members } = await readLinkNeeds(connection, workspace);
  const { groupBy, filter, timeZone, maturityNs, matureFromNs, groups } = query;
  const range = whereInRange(filter, "began_at");
  const filtered = listFilterColumns(filter);
  const ofFirstCall = whereEquals(filter, (name) => `first.${3 + filtered.indexOf(FILTER_COLUMNS[name])}`);
  const ofGroups =
    groups === undefined ? NO_CONDITION : { sql: ["first.1 IN {groups:Array(String)}"], params: { groups } };
  const first = [GROUP_COLUMNS[groupBy], "team", ...filtered].join(", ");
  const own = {
    ...range.params,
    ...ofFirstCall.params,
    ...ofGroups.params,
    timeZone: requireTimeZone(timeZone),
    maturityNs: maturityNs?.toString(),
    matureFromNs: matureFromNs?.toString(),
  };
  const ofNoTask = { filter, fits: fitsWork(query) };
  return readWork(connection, workspace, { hasStretches, ofNoTask }, (rows, params) =>
    ask(
      `spend AS (
         SELECT task AS spender, argMin(run_first, first_at) AS first, sum(run_usd) AS spent_usd,
           sum(run_simulated) AS simulated, sum(run_calls) AS spent_calls, sum(run_unpriced) AS unpriced, min(run_at) AS began_at,
           arraySort(groupArray((${nanoseconds("run_at")}, run_id, run_usd))) AS runs
         FROM (
           SELECT task, run_id, if(task = '', ${GROUP_COLUMNS[groupBy]}, '') AS group_of_none,
             argMin((${first}), ${FIRST}) AS run_first, min(${FIRST}) AS first_at, sum(spend_usd) AS run_usd,
             sum(simulated_usd) AS run_simulated, sum(calls) AS run_calls, sum(unpriced_calls) AS run_unpriced, min(at) AS run_at
           FROM (${rows})
           GROUP BY task, group_of_none, run_id
         )
         GROUP BY task, group_of_none
         HAVING true${and(range)}${and(ofFirstCall)}${and(ofGroups)}
       ),
       said AS (${selectOutcomesOfTasks(members, rows, maturityNs !== undefined)})`,
      { ...params, ...own },
    ),
  );
}

/** With where each stands. */
export const joinVerdicts = (asked?: string): string =>
  `spend LEFT JOIN (${selectVerdicts("said", "spender", asked)}) AS verdicts USING (spender)`;

/** Where a task that is not too young stands, of what its verdict says. */
export const selectStanding = ({ matureFromNs }: TaskQuestion): string => {
  const isMature = matureFromNs === undefined ? "true" : `${nanoseconds("began_at")} <= {matureFromNs:Int64}`;
  return `if(${isMature}, standing, '') AS status, ${isMature} AND is_reverted AS was_reverted`;
};

/** Rows of a day say of any group but times of day what its calls do. */
function fitsWork({ groupBy, timeZone }: TaskQuestion): (day: TimeRange) => boolean {
  if (groupBy === "task" || groupBy === "harnessVersion") return () => true;
  return fitsDays([groupBy], timeZone) ?? (() => false);
}

type Member = (typeof MEMBERS)[number];

/** Outcomes by the task that they are of: most name it, and others a run, a trace or a session of its work. */
function selectOutcomesOfTasks(members: readonly Member[], rows: string, withinHorizon: boolean): string {
  const precedence = ["task", "run", "trace", "session"] as const;
  const own = members.map(([kind, column]) => {
    const ids = kind === "trace" ? "arrayJoin(trace_ids)" : column;
    return `SELECT * FROM (${selectLinkedOutcomes(precedence, "task = ''")}) AS outcome INNER JOIN (
        SELECT DISTINCT ${linkTo(kind, "id")} AS link, task AS spender FROM (SELECT task, ${ids} AS id FROM (${rows}))
        WHERE spender != '' AND id IN (${selectNamed(column)})
      ) AS own USING (link)`;
  });
  const all = [
    `SELECT *, link.2 AS spender FROM (${selectLinkedOutcomes(precedence)}) WHERE link.1 = 'task'`,
    ...own,
  ].join(" UNION ALL ");
  const begun = `SELECT task AS spender, min(at) AS began_at FROM (${rows}) GROUP BY task`;
  return withinHorizon
    ? `SELECT * FROM (${all}) AS said INNER JOIN (${begun}) AS own USING (spender)
       WHERE ${nanoseconds("at")} <= ${nanoseconds("began_at")} + {maturityNs:Int64}`
    : all;
}
