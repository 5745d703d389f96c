/**
 * Spend by task, and where each task stands. A task belongs to the cohort of its first call ever: the filter chooses tasks
 * by that call, with all that they ever spent, so that a pass is in one period, together with what it cost. Spend without
 * a task comes as one row per group, with the same filters on the calls themselves.
 * Sessions that shared a piece of work, or changed from one to another, count as these pieces (work_stretches).
 */
import { type Decimal, parseDecimal, ZERO } from "@centspan/base";
import type { AttemptSpend, LinkedBy, OutcomeStatus, TaskQuestion, TaskSpend, TimeRange } from "@centspan/model";
import { and, FILTER_COLUMNS, listFilterColumns, whereEquals, whereInRange } from "../conditions.ts";
import type { Columns, Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { nanoseconds } from "../instants.ts";
import { fitsDays, GROUP_COLUMNS, requireTimeZone } from "./groups.ts";
import {
  ACCOUNTABLE,
  judgeBy,
  type LinkKind,
  linkTo,
  OTHER_STATUS,
  REVIEW_MINUTES,
  SAID_AT,
  SAID_IN_FULL,
  selectLinkedOutcomes,
} from "./verdicts.ts";
import { FIRST, readWork } from "./work-rows.ts";

type Row = {
  task: string;
  group: string;
  team: string;
  spent_usd: string;
  simulated: string;
  spent_calls: string;
  unpriced: string;
  attempts: string;
  first_ns: string;
  standing: OutcomeStatus | "";
  is_reverted: boolean | number;
  decided_ns: string;
  minutes: string;
  /** Where it is asked for in full. */
  outcome_id?: string;
  said_by_source?: string;
  linked_by?: LinkedBy | "";
  accountable?: string;
};

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

export async function listTaskSpend(
  connection: Connection,
  workspace: string,
  query: TaskQuestion,
): Promise<TaskSpend[]> {
  const { hasStretches, members } = await readLinkNeeds(connection, workspace);
  const range = whereInRange(query.filter, "began_at");
  const filtered = listFilterColumns(query.filter);
  const ofFirstCall = whereEquals(query.filter, (name) => `first.${3 + filtered.indexOf(FILTER_COLUMNS[name])}`);
  const group = GROUP_COLUMNS[query.groupBy];
  const own = {
    ...range.params,
    ...ofFirstCall.params,
    timeZone: requireTimeZone(query.timeZone),
    maturityNs: query.maturityNs?.toString(),
  };
  const judged = selectVerdict(query.inFull === true);
  const ofNoTask = { filter: query.filter, fits: fitsWork(query) };
  const columns = await readWork(connection, workspace, { hasStretches, ofNoTask }, (rows, params) =>
    connection.queryColumns<Row>(
      `WITH
         spend AS (
           SELECT task AS spender, argMin((${[group, "team", ...filtered].join(", ")}), ${FIRST}) AS first,
             sum(spend_usd) AS spent_usd, sum(simulated_usd) AS simulated, sum(calls) AS spent_calls, sum(unpriced_calls) AS unpriced,
             ${query.inFull ? "greatest(uniqExactIf(run_id, run_id != ''), 1)" : "1"} AS attempts,
             min(at) AS began_at
           FROM (${rows})
           GROUP BY task, if(task = '', ${group}, '')
           HAVING true${and(range)}${and(ofFirstCall)}
         ),
         verdicts AS (
           SELECT spender, ${judged.verdict}, ${REVIEW_MINUTES} AS minutes
           FROM (${selectOutcomesOfTasks(members, rows, query.maturityNs !== undefined)})
           GROUP BY spender
         )
       SELECT spender AS task, first.1 AS group, first.2 AS team, spent_usd, simulated, spent_calls, unpriced, attempts,
         ${nanoseconds("began_at")} AS first_ns, standing, is_reverted, ${judged.decision}, minutes
       FROM spend LEFT JOIN verdicts USING (spender)
       ORDER BY group, task`,
      { ...params, ...own },
    ),
  );
  return toTaskSpends(columns);
}

/** Names are half of what is sent of a task, and little is shown of all of them. */
function selectVerdict(inFull: boolean) {
  const { testsStatus, isReverted, deciding } = judgeBy(inFull ? SAID_IN_FULL : SAID_AT);
  const standing = `if(${testsStatus} != '', ${testsStatus}, ${OTHER_STATUS}) AS standing`;
  const verdict = `${standing}, ${isReverted} AS is_reverted, ${deciding} AS deciding`;
  return inFull
    ? {
        verdict: `${verdict}, ${ACCOUNTABLE} AS accountable`,
        decision:
          "deciding.1 AS decided_ns, deciding.2 AS outcome_id, deciding.3 AS said_by_source, deciding.4 AS linked_by, accountable",
      }
    : { verdict, decision: "deciding AS decided_ns" };
}

/** Rows of a day say of any group but times of day what its calls do. */
function fitsWork({ groupBy, timeZone }: TaskQuestion): (day: TimeRange) => boolean {
  if (groupBy === "task" || groupBy === "harnessVersion") return () => true;
  return fitsDays([groupBy], timeZone) ?? (() => false);
}

type Member = (typeof MEMBERS)[number];

/** Outcomes by the task that they are of: most name it, and others a run, a trace or a session of its work. */
function selectOutcomesOfTasks(members: readonly Member[], rows: string, withinHorizon: boolean): string {
  const linked = selectLinkedOutcomes(["task", "run", "trace", "session"]);
  const own = members.map(([kind, column]) => {
    const ids = kind === "trace" ? "arrayJoin(trace_ids)" : column;
    return `SELECT * FROM (${linked}) AS outcome INNER JOIN (
        SELECT DISTINCT ${linkTo(kind, "id")} AS link, task AS spender FROM (SELECT task, ${ids} AS id FROM (${rows}))
        WHERE spender != '' AND id IN (${selectNamed(column)})
      ) AS own USING (link)`;
  });
  const all = [`SELECT *, link.2 AS spender FROM (${linked}) WHERE link.1 = 'task'`, ...own].join(" UNION ALL ");
  return withinHorizon
    ? `SELECT * FROM (${all}) AS said INNER JOIN (SELECT spender, began_at FROM spend) AS own USING (spender)
       WHERE ${nanoseconds("at")} <= ${nanoseconds("began_at")} + {maturityNs:Int64}`
    : all;
}

/** Runs of tasks that were tried more than once, each task's in the order in which they began. */
export async function listAttempts(connection: Connection, workspace: string): Promise<AttemptSpend[]> {
  const { hasStretches } = await readLinkNeeds(connection, workspace);
  const columns = await readWork(connection, workspace, { hasStretches }, (rows, params) =>
    connection.queryColumns<{ task: string; run_id: string; spent_usd: string; first_ns: string }>(
      `SELECT task, run.1 AS run_id, run.2 AS spent_usd, ${nanoseconds("run.3")} AS first_ns
       FROM (
         SELECT task, arrayJoin(arraySort(one -> (one.3, one.1), groupArray((run_id, spent, began_at)))) AS run
         FROM (
           SELECT task, run_id, sum(spend_usd) AS spent, min(at) AS began_at FROM (${rows}) GROUP BY task, run_id
         )
         GROUP BY task HAVING count() > 1
       )`,
      params,
    ),
  );
  return columns.task.map((task, index) => ({
    task,
    runId: columns.run_id[index] ?? "",
    costUsd: parseDecimal(columns.spent_usd[index] ?? ""),
    firstCallAtNs: BigInt(columns.first_ns[index] ?? ""),
  }));
}

/** Most tasks have none of what few have. */
const readAmount = (text = "0"): Decimal => (text === "0" ? ZERO : parseDecimal(text));

/** There are tens of thousands. */
function toTaskSpends(rows: Columns<Row>): TaskSpend[] {
  return rows.task.map((task, index) => {
    const take = <Name extends keyof Row>(name: Name): Row[Name] | undefined => rows[name]?.[index];
    const status = take("standing") || null;
    const linkedBy = take("linked_by") || null;
    return {
      task,
      group: take("group") ?? "",
      team: take("team") ?? "",
      costUsd: readAmount(take("spent_usd")),
      simulatedUsd: readAmount(take("simulated")),
      calls: readCount(take("spent_calls") ?? ""),
      unpricedCalls: readCount(take("unpriced") ?? ""),
      attempts: readCount(take("attempts") ?? ""),
      firstCallAtNs: BigInt(take("first_ns") ?? ""),
      status,
      isReverted: Boolean(take("is_reverted")),
      reviewMinutes: readAmount(take("minutes")),
      decidedAtNs: status && BigInt(take("decided_ns") ?? ""),
      decision: linkedBy && {
        outcomeId: take("outcome_id") ?? "",
        source: take("said_by_source") ?? "",
        linkedBy,
        accountable: take("accountable") ?? "",
      },
    };
  });
}
