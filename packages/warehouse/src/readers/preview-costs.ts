/** What the calls of a range would cost by another table of prices, beside what they are booked with. Writes nothing. */
import { parseDecimal, ZERO } from "@centspan/base";
import type { CostPreview, PreviewGroup } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { type Rating, selectRated } from "../rating/price-sql.ts";

type PreviewRow = {
  group: string;
  calls: string;
  booked: string | null;
  previewed: string | null;
  unpriced_before: string;
  unpriced_after: string;
};

export async function previewCosts(
  connection: Connection,
  workspace: string,
  { groupBy, ...rating }: Rating & { groupBy: PreviewGroup },
): Promise<CostPreview[]> {
  const rated = selectRated(rating, [groupBy]);
  const rows = await connection.query<PreviewRow>(
    `SELECT ${groupBy} AS group, count() AS calls, sum(cost_usd) AS booked, sum(new_cost) AS previewed,
       countIf(cost_status = 'unpriced') AS unpriced_before, countIf(new_status = 'unpriced') AS unpriced_after
     FROM (${rated.sql})
     GROUP BY group
     ORDER BY group`,
    { ...rated.params, workspace },
  );
  return rows.map((row) => ({
    group: row.group,
    calls: readCount(row.calls),
    bookedUsd: row.booked === null ? ZERO : parseDecimal(row.booked),
    previewedUsd: row.previewed === null ? ZERO : parseDecimal(row.previewed),
    unpricedBefore: readCount(row.unpriced_before),
    unpricedAfter: readCount(row.unpriced_after),
  }));
}
