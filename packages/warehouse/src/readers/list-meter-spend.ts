/** What was used and charged of each meter of each model: what a change of spend is explained with. */
import { parseDecimal } from "@centspan/base";
import type { CallFilter, Meter, MeterSpend } from "@centspan/model";
import { allOf, and, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";

type Row = { model: string; meter: Meter; quantity: string; cost_usd: string };

export async function listMeterSpend(
  connection: Connection,
  workspace: string,
  filter: CallFilter,
): Promise<MeterSpend[]> {
  const where = allOf(whereEquals(filter), whereInRange(filter, "at"));
  const rows = await connection.query<Row>(
    `SELECT model, meter, sum(quantity) AS quantity, sum(line.cost_usd) AS cost_usd
     FROM (SELECT call_id, meter, quantity, cost_usd FROM charge_lines FINAL WHERE workspace = {workspace:String}) AS line
     INNER JOIN (
       SELECT call_id, model FROM calls FINAL WHERE workspace = {workspace:String}${and(where)}
     ) AS call USING (call_id)
     GROUP BY model, meter
     ORDER BY model, meter`,
    { ...where.params, workspace },
  );
  return rows.map(({ model, meter, quantity, cost_usd }) => ({
    model,
    meter,
    quantity: BigInt(quantity),
    costUsd: parseDecimal(cost_usd),
  }));
}
