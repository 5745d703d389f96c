/** Outcomes of a task, a run, traces or a subject, of a source, those of some ids, or all of them, newest first. */
import type { Outcome, OutcomeFilter } from "@centspan/model";
import { allOf, and, NO_CONDITION, whereColumns, whereIn } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { fromOutcomeRow, OUTCOME_COLUMNS, type OutcomeRow, toSubjectColumns } from "../rows/outcome-row.ts";

export async function listOutcomes(
  connection: Connection,
  workspace: string,
  { task, runId, outcomeIds, traceIds, saidByRequests, source, subject }: OutcomeFilter,
): Promise<Outcome[]> {
  const asked = allOf(
    whereColumns({ task, run_id: runId, source, ...(subject && toSubjectColumns(subject)) }),
    outcomeIds === undefined ? NO_CONDITION : whereIn("outcomeIds", "outcome_id", outcomeIds),
    traceIds === undefined ? NO_CONDITION : whereIn("traceIds", "trace_id", traceIds),
    saidByRequests === undefined ? NO_CONDITION : whereIn("saidByRequests", "said_by_request", saidByRequests),
  );
  const rows = await connection.query<OutcomeRow>(
    `SELECT ${OUTCOME_COLUMNS} FROM outcomes FINAL
     WHERE workspace = {workspace:String}${and(asked)}
     ORDER BY at DESC, outcome_id DESC`,
    { ...asked.params, workspace },
  );
  return rows.map(fromOutcomeRow);
}
