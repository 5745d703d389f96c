/**
 * Spend by task, and where each task stands. A task belongs to the cohort of its first call ever: the range of the
 * filter limits what is spent, its other members choose tasks by that first call, so a task moves between groups for no
 * range. Spend without a task comes as one row per group, with the same filters on the calls themselves.
 */
import { parseDecimal, ZERO } from "@centspan/base";
import type { CallFilter, OutcomeGroup, OutcomeStatus, TaskSpend } from "@centspan/model";
import { and, FILTER_COLUMNS, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { nanoseconds } from "../instants.ts";
import { GROUP_COLUMNS, requireTimeZone } from "./groups.ts";
import { linkTo, selectLinkedOutcomes } from "./verdicts.ts";

type Row = {
  task: string;
  group: string;
  spend_usd: string | null;
  simulated_usd: string | null;
  spent_calls: string;
  unpriced_calls: string;
  first_ns: string;
  status: OutcomeStatus | "";
};

const SUMS = `sumIf(cost_usd, in_range) AS spend_usd,
  sumIf(cost_usd, in_range AND provenance = 'simulated') AS simulated_usd,
  countIf(in_range) AS spent_calls,
  countIf(in_range AND cost_usd IS NULL) AS unpriced_calls,
  ${nanoseconds("min(at)")} AS first_ns`;

export async function listTaskSpend(
  connection: Connection,
  workspace: string,
  query: { groupBy: OutcomeGroup; filter: CallFilter; timeZone: string },
): Promise<TaskSpend[]> {
  const group = GROUP_COLUMNS[query.groupBy];
  const range = whereInRange(query.filter, "at");
  const ofCall = whereEquals(query.filter);
  const ofFirstCall = whereEquals(query.filter, (name) => `argMin(${FILTER_COLUMNS[name]}, (at, call_id))`);
  const rows = await connection.query<Row>(
    `WITH
       own AS (
         SELECT *, ${["true", ...range.sql].join(" AND ")} AS in_range FROM calls FINAL
         WHERE workspace = {workspace:String}
       ),
       spend AS (
         SELECT task AS spender, argMin(${group}, (at, call_id)) AS group, ${SUMS}
         FROM own WHERE task != ''
         GROUP BY task
         HAVING spent_calls > 0${and(ofFirstCall)}
       ),
       links AS (
         SELECT DISTINCT task AS spender, arrayJoin([
           ${linkTo("task", "task")}, ${linkTo("run", "run_id")},
           ${linkTo("trace", "trace_id")}, ${linkTo("session", "session_id")}
         ]) AS link
         FROM own WHERE task != ''
       ),
       standing AS (
         SELECT spender, argMax(status, (kind = 'tests', at, outcome_id)) AS status
         FROM links
         INNER JOIN (${selectLinkedOutcomes(["task", "run", "trace", "session"])}) AS outcome USING (link)
         WHERE link.2 != ''
         GROUP BY spender
       )
     SELECT spender AS task, group, spend_usd, simulated_usd, spent_calls, unpriced_calls, first_ns, status
     FROM spend LEFT JOIN standing USING (spender)
     UNION ALL
     SELECT '' AS task, ${group} AS group, ${SUMS}, '' AS status
     FROM own
     WHERE own.task = '' AND in_range${and(ofCall)}
     GROUP BY group`,
    { ...range.params, ...ofCall.params, workspace, timeZone: requireTimeZone(query.timeZone) },
  );
  return rows.map(toTaskSpend).sort(byGroupThenTask);
}

const toTaskSpend = (row: Row): TaskSpend => ({
  task: row.task,
  group: row.group,
  costUsd: row.spend_usd === null ? ZERO : parseDecimal(row.spend_usd),
  simulatedUsd: row.simulated_usd === null ? ZERO : parseDecimal(row.simulated_usd),
  calls: readCount(row.spent_calls),
  unpricedCalls: readCount(row.unpriced_calls),
  firstCallAtNs: BigInt(row.first_ns),
  status: row.status === "" ? null : row.status,
});

/** A fixed order, so that what is computed from the list with a seed comes out the same. */
function byGroupThenTask(a: TaskSpend, b: TaskSpend): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1;
  return a.task < b.task ? -1 : 1;
}
