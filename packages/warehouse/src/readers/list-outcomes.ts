/** Outcomes of a task or a run, one by its id, or all of them, newest first. */
import type { Outcome, OutcomeFilter } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { fromOutcomeRow, OUTCOME_COLUMNS, type OutcomeRow } from "../rows/outcome-row.ts";

const CONDITIONS: Record<keyof OutcomeFilter, string> = {
  task: "task = {task:String}",
  runId: "run_id = {runId:String}",
  outcomeId: "outcome_id = {outcomeId:String}",
};

export async function listOutcomes(
  connection: Connection,
  workspace: string,
  filter: OutcomeFilter,
): Promise<Outcome[]> {
  const names = (["task", "runId", "outcomeId"] as const).filter((name) => filter[name] !== undefined);
  const where = names.map((name) => ` AND ${CONDITIONS[name]}`).join("");
  const rows = await connection.query<OutcomeRow>(
    `SELECT ${OUTCOME_COLUMNS} FROM outcomes FINAL
     WHERE workspace = {workspace:String}${where}
     ORDER BY at DESC, outcome_id DESC`,
    { ...filter, workspace },
  );
  return rows.map(fromOutcomeRow);
}
