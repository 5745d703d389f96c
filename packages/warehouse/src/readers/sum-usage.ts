/**
 * What was used, by stretches of time, meter by meter: what providers' invoices are compared with. Corrections count where
 * their usage was, whenever they were billed. A meter without a line was used and has no price.
 */
import { CentspanError, parseDecimal, startOfDayNs } from "@centspan/base";
import {
  METERS,
  type Meter,
  type QuarantinedCalls,
  USAGE_NAMES,
  type UsageCell,
  type UsageName,
  type UsageQuestion,
} from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { columnOf } from "../rows/call-row.ts";
import { HAS_AMOUNT } from "../rows/correction-row.ts";
import { requireTimeZone } from "./groups.ts";

type CellRow = Partial<Record<UsageName, string>> & {
  start: string;
  provider: string;
  meter: Meter;
  used: string;
  cost: string;
  later: string;
  unpriced: string;
};

/** That many take about half a gigabyte here. */
const MOST_CELLS = 500_000;

const WHOSE = "at, posted_at, provider, team, key, model";
const USED = METERS.map((meter) => `('${meter}', toInt64(${columnOf(meter)}))`).join(", ");
const QUARTER = nanoseconds("toDateTime64(toStartOfInterval(at, INTERVAL 15 MINUTE, 'UTC'), 9, 'UTC')");

export async function sumUsage(
  connection: Connection,
  workspace: string,
  { range, providers, by, cells, only }: UsageQuestion,
): Promise<UsageCell[]> {
  const zone = cells === "quarters" ? null : requireTimeZone(cells.daysOf);
  const names = USAGE_NAMES.map((name) => (by.includes(name) ? `${name}::String` : "''"));
  const asked = `workspace = {workspace:String} AND at >= ${instantParam("fromNs")} AND at < ${instantParam("toNs")}
    AND provider IN {providers:Array(String)}${only ? ` AND has({only:Array(Array(String))}, [${names.join(", ")}])` : ""}`;
  const group = ["start", "provider", "meter", ...by].join(", ");
  const rows = await connection.query<CellRow>(
    `SELECT ${zone === null ? QUARTER : "toString(toDate(at, {zone:String}))"} AS start, provider, meter${by.map((name) => `, ${name}`).join("")},
       sum(quantity) AS used, sum(usd) AS cost, sumIf(usd, posted_at != at) AS later, sumIf(quantity, isNull(charged)) AS unpriced
     FROM (
       SELECT ${WHOSE}, bucket.1 AS meter, bucket.2 AS quantity, charges[indexOf(meters, bucket.1)] AS charged,
         ifNull(charged, toDecimal128(0, 12)) AS usd
       FROM (
         SELECT ${WHOSE}, call_id, arrayJoin(arrayFilter(pair -> pair.2 > 0, [${USED}])) AS bucket,
           lines.meter AS meters, lines.cost_usd::Array(Nullable(Decimal(38, 12))) AS charges
         FROM calls FINAL
         WHERE ${asked}
       ) AS counted
       -- What had no price when its month was closed is counted by the correction that gave it one.
       WHERE isNotNull(charged)
         OR call_id NOT IN (SELECT call_id FROM corrections WHERE workspace = {workspace:String})
       UNION ALL
       SELECT ${WHOSE}, toString(meter) AS meter, quantity, toNullable(cost_usd) AS charged, cost_usd AS usd
       FROM corrections FINAL
       WHERE ${asked} AND ${HAS_AMOUNT}
     )
     GROUP BY ${group}
     ORDER BY ${group}
     LIMIT ${MOST_CELLS + 1}`,
    {
      workspace,
      providers,
      zone: zone ?? undefined,
      only: only?.map((one) => USAGE_NAMES.map((name) => one[name])),
      fromNs: range.fromNs.toString(),
      toNs: range.toNs.toString(),
    },
  );
  if (rows.length > MOST_CELLS) {
    throw new CentspanError("invalid_request", "this is too much usage to compare at once: take fewer days");
  }
  const startNsOf = createStarts(zone);
  return rows.map((row) => ({
    startNs: startNsOf(row.start),
    provider: row.provider,
    team: row.team ?? "",
    key: row.key ?? "",
    model: row.model ?? "",
    meter: row.meter,
    quantity: readCount(row.used),
    costUsd: parseDecimal(row.cost),
    laterUsd: parseDecimal(row.later),
    unpricedQuantity: readCount(row.unpriced),
  }));
}

type HeldRow = Partial<Record<UsageName, string>> & Record<"day" | "provider" | "calls", string>;

/** Their counts contradict each other, so nothing is known of them by meter. */
export async function countQuarantined(
  connection: Connection,
  workspace: string,
  { range, providers, by }: Pick<UsageQuestion, "range" | "providers" | "by">,
): Promise<QuarantinedCalls[]> {
  const group = ["day", "provider", ...by].join(", ");
  const rows = await connection.query<HeldRow>(
    `SELECT toString(toDate(at, 'UTC')) AS day, provider${by.map((name) => `, ${name}`).join("")}, count() AS calls
     FROM calls FINAL
     WHERE workspace = {workspace:String} AND at >= ${instantParam("fromNs")} AND at < ${instantParam("toNs")}
       AND provider IN {providers:Array(String)} AND cost_status = 'quarantined'
     GROUP BY ${group}
     ORDER BY ${group}
     LIMIT ${MOST_CELLS}`,
    { workspace, providers, fromNs: range.fromNs.toString(), toNs: range.toNs.toString() },
  );
  return rows.map(({ day, provider, team = "", key = "", model = "", calls }) => ({
    ...{ day, provider, team, key, model },
    calls: readCount(calls),
  }));
}

/** Of days of the zone, or of instants in nanoseconds where there is none. */
function createStarts(zone: string | null): (start: string) => bigint {
  const known = new Map<string, bigint>();
  return (start) => {
    const startNs = known.get(start) ?? (zone === null ? BigInt(start) : startOfDayNs(zone, start));
    known.set(start, startNs);
    return startNs;
  };
}
