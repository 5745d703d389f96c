/** Spend of tasks that no outcome is of, and of no task: which has no verdict to be found out. */
import type { OpenSpend, TaskQuestion } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { readAmount } from "./list-task-spend.ts";
import { readTasks } from "./task-rows.ts";

type Row = {
  dearest: [string, string, string][];
  open_tasks: string;
  open_usd: string;
  all_usd: string;
};

export async function listOpenSpend(
  connection: Connection,
  workspace: string,
  query: TaskQuestion & { limit: number },
): Promise<OpenSpend> {
  const rows = await readTasks(connection, workspace, query, (tables, params) =>
    connection.query<Row>(
      `WITH ${tables}
       SELECT arrayMap(one -> (one.3, one.4, one.5),
           arraySlice(arraySort(groupArrayIf((-spent_usd, first.1, spender, spent_usd, spent_calls), is_open)), 1, {limit:UInt32})) AS dearest,
         countIf(is_open AND spender != '') AS open_tasks, sumIf(spent_usd, is_open) AS open_usd, sum(spent_usd) AS all_usd
       FROM (SELECT *, spender NOT IN (SELECT spender FROM said) AS is_open FROM spend)`,
      { ...params, limit: query.limit },
    ),
  );
  const [found] = rows;
  return {
    dearest: (found?.dearest ?? []).map(([task, costUsd, calls]) => ({
      task,
      costUsd: readAmount(costUsd),
      calls: readCount(calls),
    })),
    openTasks: readCount(found?.open_tasks ?? "0"),
    openUsd: readAmount(found?.open_usd),
    allUsd: readAmount(found?.all_usd),
  };
}
