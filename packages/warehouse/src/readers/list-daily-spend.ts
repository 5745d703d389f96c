/** Spend by day and group: what forecasts and odd days are worked out from. Days without spend have no row. */
import { parseDecimal } from "@centspan/base";
import type { CallFilter, DailySpend, DailySpendGroup } from "@centspan/model";
import { allOf, and, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { GROUP_COLUMNS, requireTimeZone } from "./groups.ts";

type Row = { group: string; day: string; cost_usd: string };

export async function listDailySpend(
  connection: Connection,
  workspace: string,
  query: { groupBy: DailySpendGroup; filter: CallFilter; timeZone: string },
): Promise<DailySpend[]> {
  const where = allOf(whereEquals(query.filter), whereInRange(query.filter, "at"));
  const rows = await connection.query<Row>(
    `SELECT ${GROUP_COLUMNS[query.groupBy]} AS group, ${GROUP_COLUMNS.day} AS day, sum(cost_usd) AS cost_usd
     FROM calls FINAL
     WHERE workspace = {workspace:String}${and(where)}
     GROUP BY group, day
     HAVING cost_usd IS NOT NULL
     ORDER BY group, day`,
    { ...where.params, workspace, timeZone: requireTimeZone(query.timeZone) },
  );
  return rows.map(({ group, day, cost_usd }) => ({ group, day, costUsd: parseDecimal(cost_usd) }));
}
