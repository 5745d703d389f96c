/** Tasks added up as far as what is said of them allows: by group, standing and what decides what their review costs. */
import { parseDecimal } from "@centspan/base";
import { type AttemptSum, LAST_ATTEMPT, type OutcomeStatus, type TaskQuestion, type TaskSlice } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { readAmount } from "./list-task-spend.ts";
import { joinVerdicts, readTasks, selectStanding } from "./task-rows.ts";

type Row = {
  group: string;
  team: string;
  status: OutcomeStatus | "";
  was_reverted: boolean | number;
  minutes: string;
  task: string;
  tasks: string;
  spent: string;
  squared: string;
  simulated_usd: string;
  spent_on: string;
  unpriced_of: string;
  tried: string[];
  bought: string[];
  tried_usd: string[];
};

const NUMBERS = Array.from({ length: LAST_ATTEMPT }, (_, index) => index + 1);
/** What a task's runs spent, by number. */
const SPENT_BY_RUNS = `multiIf(spender = '', [], length(runs) <= ${LAST_ATTEMPT}, runs.3,
  arrayPushBack(arraySlice(runs.3, 1, ${LAST_ATTEMPT - 1}), arraySum(arraySlice(runs.3, ${LAST_ATTEMPT}))))`;
const LAST_BEGUN = `least(greatest(arrayCount(run -> run.1 <= deciding, runs), 1), ${LAST_ATTEMPT})`;

export async function sliceTasks(
  connection: Connection,
  workspace: string,
  query: TaskQuestion & { mostSingle: number },
): Promise<TaskSlice[]> {
  const rows = await readTasks(connection, workspace, query, (tables, params) =>
    connection.query<Row>(
      `WITH ${tables}
       SELECT group, team, status, was_reverted, minutes, task, countIf(spender != '') AS tasks,
         sum(spent_usd) AS spent, sum(toDecimal256(spent_usd, 12) * toDecimal256(spent_usd, 12)) AS squared,
         sum(simulated) AS simulated_usd, sum(spent_calls) AS spent_on, sum(unpriced) AS unpriced_of,
         countForEach(spent_by_runs) AS tried, [${NUMBERS.map((number) => `countIf(bought_by = ${number})`).join(", ")}] AS bought,
         sumForEach(spent_by_runs) AS tried_usd
       FROM (
         SELECT spender, first.1 AS group, first.2 AS team, ${selectStanding(query)}, minutes,
           if(count() OVER () <= {mostSingle:UInt32}, spender, '') AS task, spent_usd, simulated, spent_calls, unpriced, ${SPENT_BY_RUNS} AS spent_by_runs,
           if(status = 'passed', ${LAST_BEGUN}, 0) AS bought_by
         FROM ${joinVerdicts()}
       )
       GROUP BY group, team, status, was_reverted, minutes, task, spender = ''
       ORDER BY group, task`,
      { ...params, mostSingle: query.mostSingle },
    ),
  );
  return rows.map((row) => ({
    task: row.task,
    group: row.group,
    team: row.team,
    tasks: readCount(row.tasks),
    costUsd: readAmount(row.spent),
    squaredUsd: parseDecimal(row.squared),
    simulatedUsd: readAmount(row.simulated_usd),
    calls: readCount(row.spent_on),
    unpricedCalls: readCount(row.unpriced_of),
    status: row.status || null,
    isReverted: Boolean(row.was_reverted),
    reviewMinutes: readAmount(row.minutes),
    attempts: readAttempts(row),
  }));
}

const readAttempts = ({ tried, bought, tried_usd }: Row): AttemptSum[] =>
  tried.map((tasks, index) => ({
    tasks: readCount(tasks),
    passes: readCount(bought[index] ?? ""),
    costUsd: readAmount(tried_usd[index]),
  }));
