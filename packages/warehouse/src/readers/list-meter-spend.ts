/** What was used and charged of each meter of each model: what a change of spend is explained with. */
import { parseDecimal } from "@centspan/base";
import type { CallFilter, Meter, MeterSpend } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readSpend } from "./spend-rows.ts";

type Row = { model: string; meter: Meter; quantity: string; cost_usd: string };

export async function listMeterSpend(
  connection: Connection,
  workspace: string,
  filter: CallFilter,
): Promise<MeterSpend[]> {
  const columns = { model: "model" };
  const rows = await readSpend(
    connection,
    workspace,
    { grain: "meters", columns, filter, fits: () => true },
    (spend, params) =>
      connection.query<Row>(
        `SELECT model, meter, sum(charged_quantity) AS quantity, sum(charged_usd) AS cost_usd
         FROM (${spend})
         GROUP BY model, meter
         HAVING cost_usd IS NOT NULL
         ORDER BY model, meter`,
        params,
      ),
  );
  return rows.map(({ model, meter, quantity, cost_usd }) => ({
    model,
    meter,
    quantity: BigInt(quantity),
    costUsd: parseDecimal(cost_usd),
  }));
}
