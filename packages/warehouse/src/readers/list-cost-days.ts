/** Days of a workspace that overlap a range, in their order: deleted ones too, because their revisions count. */
import type { TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { type CostDay, type CostDayRow, fromCostDayRow } from "../rows/cost-day-row.ts";

export async function listCostDays(
  connection: Connection,
  workspace: string,
  { fromNs, toNs }: TimeRange,
): Promise<CostDay[]> {
  const rows = await connection.query<CostDayRow>(
    `SELECT time_zone, ${nanoseconds("from_at")} AS from_ns, argMax(${nanoseconds("to_at")}, revision) AS to_ns,
       argMax(is_fresh, revision) AS fresh, argMax(deleted, revision) AS gone, max(revision) AS last_revision
     FROM cost_days
     WHERE workspace = {workspace:String} AND from_at <= ${instantParam("lastNs")}
     GROUP BY time_zone, from_at
     HAVING to_ns > {fromNs:Int64}
     ORDER BY from_ns`,
    { workspace, fromNs: fromNs.toString(), lastNs: (toNs - 1n).toString() },
  );
  return rows.map(fromCostDayRow);
}
