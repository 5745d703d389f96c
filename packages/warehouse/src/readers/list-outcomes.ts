/** Outcomes of a task or a run, or all of them, newest first. */
import type { Outcome } from "@centspan/model";
import { and, whereEquals } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { fromOutcomeRow, OUTCOME_COLUMNS, type OutcomeRow } from "../rows/outcome-row.ts";

export async function listOutcomes(
  connection: Connection,
  workspace: string,
  filter: { task?: string; runId?: string },
): Promise<Outcome[]> {
  const where = whereEquals(filter);
  const rows = await connection.query<OutcomeRow>(
    `SELECT ${OUTCOME_COLUMNS} FROM outcomes FINAL
     WHERE workspace = {workspace:String}${and(where)}
     ORDER BY at DESC, outcome_id DESC`,
    { ...where.params, workspace },
  );
  return rows.map(fromOutcomeRow);
}
