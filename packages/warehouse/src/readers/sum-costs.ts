/**
 * Spend, calls and tokens by group. Amounts are added up as decimals by the server, exactly.
 * By meter, a call counts under each meter it used or was charged for, with that meter's tokens alone.
 */
import { parseDecimal, ZERO } from "@centspan/base";
import {
  BUCKET_OF_METER,
  type Buckets,
  type CallFilter,
  type CostGroup,
  type CostSum,
  METERS,
  PROVENANCES,
  type Provenance,
} from "@centspan/model";
import { allOf, and, type Conditions, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { BUCKET_COLUMNS, readBuckets } from "../rows/call-row.ts";
import { GROUP_COLUMNS, requireTimeZone } from "./groups.ts";

type SumRow = Parameters<typeof readBuckets>[0] & {
  group: string;
  cost_usd: string | null;
  calls: string;
  requests: string;
  unpriced_calls: string;
  quarantined_calls: string;
} & Record<Provenance, string | null>;

const SUMS = [
  "sum(charged) AS cost_usd",
  "count() AS calls",
  "sum(requests) AS requests",
  ...Object.values(BUCKET_COLUMNS).map((column) => `sum(used.${column}) AS ${column}`),
  "countIf(cost_status = 'unpriced') AS unpriced_calls",
  "countIf(cost_status = 'quarantined') AS quarantined_calls",
  ...PROVENANCES.map((provenance) => `sumIf(charged, provenance = '${provenance}') AS ${provenance}`),
].join(",\n       ");

export async function sumCosts(
  connection: Connection,
  workspace: string,
  query: { groupBy: CostGroup; filter: CallFilter; timeZone: string },
): Promise<CostSum[]> {
  const where = allOf(whereEquals(query.filter), whereInRange(query.filter, "at"));
  const rows = await connection.query<SumRow>(
    `SELECT group, ${SUMS}
     FROM (${query.groupBy === "meter" ? selectByMeter(where) : selectByColumn(query.groupBy, where)}) AS used
     GROUP BY group
     ORDER BY group`,
    { ...where.params, workspace, timeZone: requireTimeZone(query.timeZone) },
  );
  return rows.map(toCostSum);
}

const selectByColumn = (group: Exclude<CostGroup, "meter">, where: Conditions): string =>
  `SELECT ${GROUP_COLUMNS[group]} AS group, cost_usd AS charged, requests, cost_status, provenance,
     ${Object.values(BUCKET_COLUMNS).join(", ")}
   FROM calls FINAL
   WHERE workspace = {workspace:String}${and(where)}`;

/** One row for each meter of each call. A meter without a line was used and not charged: its cost is unknown, not zero. */
function selectByMeter(where: Conditions): string {
  const used = METERS.map((meter) => `if(${columnOf(meter)} > 0, ['${meter}'], [])`).join(", ");
  const ownBucket = METERS.map((meter) => `if(group = '${meter}', all.${columnOf(meter)}, 0) AS ${columnOf(meter)}`);
  return `SELECT group, line_costs[indexOf(line_meters, group)] AS charged, requests, cost_status, provenance,
     ${ownBucket.join(", ")}
   FROM (
     SELECT *, arrayJoin(arrayDistinct(arrayConcat(${used}, line_meters))) AS group
     FROM (SELECT * FROM calls FINAL WHERE workspace = {workspace:String}${and(where)}) AS filtered
     LEFT JOIN (
       SELECT call_id, groupArray(toString(meter)) AS line_meters, groupArray(toNullable(cost_usd)) AS line_costs
       FROM charge_lines FINAL
       WHERE workspace = {workspace:String}
       GROUP BY call_id
     ) AS charges USING (call_id)
   ) AS all`;
}

const columnOf = (meter: (typeof METERS)[number]): (typeof BUCKET_COLUMNS)[keyof Buckets] =>
  BUCKET_COLUMNS[BUCKET_OF_METER[meter]];

function toCostSum(row: SumRow): CostSum {
  const byProvenance: CostSum["byProvenance"] = {};
  for (const provenance of PROVENANCES) {
    const cost = row[provenance];
    if (cost !== null) byProvenance[provenance] = parseDecimal(cost);
  }
  return {
    group: row.group,
    costUsd: row.cost_usd === null ? ZERO : parseDecimal(row.cost_usd),
    calls: readCount(row.calls),
    requests: readCount(row.requests),
    buckets: readBuckets(row),
    unpricedCalls: readCount(row.unpriced_calls),
    quarantinedCalls: readCount(row.quarantined_calls),
    byProvenance,
  };
}
