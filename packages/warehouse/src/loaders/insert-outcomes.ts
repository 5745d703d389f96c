/** Stores outcomes. Their ids derive from what makes them unique, so posting one again replaces it with itself. */
import type { Outcome } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { toOutcomeRow } from "../rows/outcome-row.ts";
import type { Revisions } from "./revisions.ts";

export async function insertOutcomes(
  connection: Connection,
  revisions: Revisions,
  workspace: string,
  outcomes: readonly Outcome[],
): Promise<void> {
  const revision = revisions.next([]).toString();
  await connection.insert(
    "outcomes",
    outcomes.map((outcome) => ({ ...toOutcomeRow(workspace, outcome), revision })),
  );
}
