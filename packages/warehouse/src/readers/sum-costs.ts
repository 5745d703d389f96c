/**
 * Spend, calls and tokens by group. Amounts are added up as decimals by the server, exactly.
 * By meter, a call counts under each meter it used, with that meter's tokens alone.
 */
import { parseDecimal, ZERO } from "@centspan/base";
import { type CallFilter, type CostGroup, type CostSum, METERS, PROVENANCES, type Provenance } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { BUCKET_COLUMNS, columnOf, readBuckets } from "../rows/call-row.ts";
import { fitsDays, GROUP_COLUMNS, requireTimeZone } from "./groups.ts";
import { type Grain, readSpend, type SpendColumns } from "./spend-rows.ts";

type SumRow = Parameters<typeof readBuckets>[0] & {
  group: string;
  cost_usd: string | null;
  calls: string;
  requests: string;
  priced_requests: string;
  unpriced_calls: string;
  quarantined_calls: string;
} & Record<Provenance, string | null>;

const SUMS = [
  "sum(charged_usd) AS cost_usd",
  "sum(used.calls) AS calls",
  "sum(used.requests) AS requests",
  "sumIf(used.requests, cost_status IN ('rated', 'estimated')) AS priced_requests",
  "sumIf(used.calls, cost_status = 'unpriced') AS unpriced_calls",
  "sumIf(used.calls, cost_status = 'quarantined') AS quarantined_calls",
  ...PROVENANCES.map((provenance) => `sumIf(charged_usd, provenance = '${provenance}') AS ${provenance}`),
];
const SUMS_OF_BUCKETS: Readonly<Record<Grain, readonly string[]>> = {
  calls: Object.values(BUCKET_COLUMNS).map((column) => `sum(used.${column}) AS ${column}`),
  meters: METERS.map((meter) => `if(group = '${meter}', sum(quantity), 0) AS ${columnOf(meter)}`),
};

export async function sumCosts(
  connection: Connection,
  workspace: string,
  { groupBy, filter, timeZone: zone }: { groupBy: CostGroup; filter: CallFilter; timeZone: string },
): Promise<CostSum[]> {
  const timeZone = requireTimeZone(zone);
  const grain = groupBy === "meter" ? "meters" : "calls";
  const group: SpendColumns = groupBy === "meter" ? {} : { group: GROUP_COLUMNS[groupBy] };
  const columns = { ...group, cost_status: "cost_status", provenance: "provenance" };
  const fits = fitsDays([groupBy], timeZone);
  const sums = [groupBy === "meter" ? "meter AS group" : "group", ...SUMS, ...SUMS_OF_BUCKETS[grain]].join(", ");
  const rows = await readSpend(connection, workspace, { grain, columns, filter, fits }, (spend, params) =>
    connection.query<SumRow>(`SELECT ${sums} FROM (${spend}) AS used GROUP BY group ORDER BY group`, {
      ...params,
      timeZone,
    }),
  );
  return rows.map(toCostSum);
}

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
    pricedRequests: readCount(row.priced_requests),
    buckets: readBuckets(row),
    unpricedCalls: readCount(row.unpriced_calls),
    quarantinedCalls: readCount(row.quarantined_calls),
    byProvenance,
  };
}
