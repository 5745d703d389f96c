/** Spend by day and group: what forecasts and odd days are worked out from. Days without spend have no row. */
import { parseDecimal } from "@centspan/base";
import type { CallFilter, DailySpend, DailySpendGroup } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { fitsDays, GROUP_COLUMNS, requireTimeZone } from "./groups.ts";
import { readSpend } from "./spend-rows.ts";

type Row = { group: string; day: string; cost_usd: string };

export async function listDailySpend(
  connection: Connection,
  workspace: string,
  query: { groupBy: DailySpendGroup; filter: CallFilter; timeZone: string },
): Promise<DailySpend[]> {
  const timeZone = requireTimeZone(query.timeZone);
  const columns = { group: GROUP_COLUMNS[query.groupBy], day: GROUP_COLUMNS.day };
  const fits = fitsDays([query.groupBy, "day"], timeZone);
  const rows = await readSpend(
    connection,
    workspace,
    { grain: "calls", columns, filter: query.filter, fits },
    (spend, params) =>
      connection.query<Row>(
        `SELECT group, day, sum(charged_usd) AS cost_usd
         FROM (${spend})
         GROUP BY group, day
         HAVING cost_usd IS NOT NULL
         ORDER BY group, day`,
        { ...params, timeZone },
      ),
  );
  return rows.map(({ group, day, cost_usd }) => ({ group, day, costUsd: parseDecimal(cost_usd) }));
}
