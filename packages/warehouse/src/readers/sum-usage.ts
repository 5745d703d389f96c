/**
 * What was used, by stretches of time in UTC, meter by meter: what providers' invoices are compared with. Corrections
 * count where their usage was, whenever they were billed. A meter without a line was used and has no price.
 */
import { parseDecimal } from "@centspan/base";
import { BUCKET_OF_METER, METERS, type Meter, type TimeRange, type UsageCell } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { BUCKET_COLUMNS } from "../rows/call-row.ts";

type CellRow = {
  start_ns: string;
  provider: string;
  team: string;
  key_id: string;
  key: string;
  model: string;
  meter: Meter;
  used: string;
  cost: string;
  unpriced: string;
};

const IN_RANGE = `workspace = {workspace:String} AND at >= ${instantParam("fromNs")} AND at < ${instantParam("toNs")}`;
const WHOSE = "at, provider, team, key_id, key, model";
const USED = METERS.map((meter) => `('${meter}', toInt64(${BUCKET_COLUMNS[BUCKET_OF_METER[meter]]}))`).join(", ");

export async function sumUsage(
  connection: Connection,
  workspace: string,
  { fromNs, toNs }: TimeRange,
  stretchS: number,
): Promise<UsageCell[]> {
  const rows = await connection.query<CellRow>(
    `SELECT ${nanoseconds("toDateTime64(toStartOfInterval(at, toIntervalSecond({stretchS:UInt32}), 'UTC'), 9, 'UTC')")} AS start_ns,
       provider, team, key_id, key, model, meter,
       sum(quantity) AS used, sum(ifNull(charged, toDecimal128(0, 12))) AS cost, sumIf(quantity, isNull(charged)) AS unpriced
     FROM (
       SELECT ${WHOSE}, bucket.1 AS meter, bucket.2 AS quantity, if(has(meters, bucket.1), toNullable(charges[indexOf(meters, bucket.1)]), NULL) AS charged
       FROM (
         SELECT ${WHOSE}, call_id, arrayJoin(arrayFilter(pair -> pair.2 > 0, [${USED}])) AS bucket
         FROM calls FINAL
         WHERE ${IN_RANGE}
       ) AS counted
       LEFT JOIN (
         SELECT call_id, groupArray(toString(meter)) AS meters, groupArray(cost_usd) AS charges
         FROM charge_lines FINAL
         WHERE workspace = {workspace:String} AND call_id IN (SELECT call_id FROM calls FINAL WHERE ${IN_RANGE})
         GROUP BY call_id
       ) AS lines USING (call_id)
       -- What had no price when its month was closed is counted by the correction that gave it one.
       WHERE isNotNull(charged)
         OR call_id NOT IN (SELECT call_id FROM corrections WHERE workspace = {workspace:String})
       UNION ALL
       SELECT ${WHOSE}, toString(meter) AS meter, quantity, toNullable(cost_usd) AS charged
       FROM corrections FINAL
       WHERE ${IN_RANGE}
     )
     GROUP BY start_ns, provider, team, key_id, key, model, meter
     ORDER BY start_ns, provider, team, key_id, key, model, meter`,
    { workspace, stretchS, fromNs: fromNs.toString(), toNs: toNs.toString() },
  );
  return rows.map((row) => ({
    startNs: BigInt(row.start_ns),
    provider: row.provider,
    team: row.team,
    keyId: row.key_id,
    key: row.key,
    model: row.model,
    meter: row.meter,
    quantity: readCount(row.used),
    costUsd: parseDecimal(row.cost),
    unpricedQuantity: readCount(row.unpriced),
  }));
}
