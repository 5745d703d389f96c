/** Tasks with what was spent on each, where it stands, by which outcome, and who answers for it. */
import { type Decimal, parseDecimal, ZERO } from "@centspan/base";
import type { LinkedBy, OutcomeStatus, TaskQuestion, TaskSpend } from "@centspan/model";
import type { Columns, Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { nanoseconds } from "../instants.ts";
import { joinVerdicts, readTasks, selectStanding } from "./task-rows.ts";
import { SAID_IN_FULL } from "./verdicts.ts";

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
  status: OutcomeStatus | "";
  was_reverted: boolean | number;
  decided_ns: string;
  minutes: string;
  outcome_id: string;
  said_by_source: string;
  linked_by: LinkedBy | "";
  accountable: string;
};

export async function listTaskSpend(
  connection: Connection,
  workspace: string,
  query: TaskQuestion,
): Promise<TaskSpend[]> {
  const columns = await readTasks(connection, workspace, query, (tables, params) =>
    connection.queryColumns<Row>(
      `WITH ${tables}
       SELECT spender AS task, first.1 AS group, first.2 AS team, spent_usd, simulated, spent_calls, unpriced,
         greatest(arrayCount(run -> run.2 != '', runs), 1) AS attempts, ${nanoseconds("began_at")} AS first_ns,
         ${selectStanding(query)}, deciding.1 AS decided_ns, deciding.2 AS outcome_id, deciding.3 AS said_by_source,
         deciding.4 AS linked_by, accountable, minutes
       FROM ${joinVerdicts(SAID_IN_FULL)}
       ORDER BY group, task`,
      params,
    ),
  );
  return toTaskSpends(columns);
}

/** Most tasks have none of what few have. */
export const readAmount = (text = "0"): Decimal => (text === "0" ? ZERO : parseDecimal(text));

/** There are tens of thousands. */
function toTaskSpends(rows: Columns<Row>): TaskSpend[] {
  return rows.task.map((task, index) => {
    const take = <Name extends keyof Row>(name: Name): Row[Name] | undefined => rows[name]?.[index];
    const status = take("status") || null;
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
      isReverted: Boolean(take("was_reverted")),
      reviewMinutes: readAmount(take("minutes")),
      decidedAtNs: linkedBy && BigInt(take("decided_ns") ?? ""),
      decision: linkedBy && {
        outcomeId: take("outcome_id") ?? "",
        source: take("said_by_source") ?? "",
        linkedBy,
        accountable: take("accountable") ?? "",
      },
    };
  });
}
