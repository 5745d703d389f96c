/**
 * What a range of time is billed: the lines of the calls posted in it, and the corrections posted in it. Two readers of
 * the same closed month read the same, whatever came since.
 */
import { parseDecimal } from "@centspan/base";
import type { Charge, Meter, Provenance, TeamSum, TimeRange, TokenFilter } from "@centspan/model";
import type { Connection, QueryParams } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { HAS_AMOUNT } from "../rows/correction-row.ts";
import { requireTimeZone } from "./groups.ts";

const POSTED_IN_RANGE = `workspace = {workspace:String}
  AND posted_at >= ${instantParam("fromNs")} AND posted_at < ${instantParam("toNs")}`;

const WHOSE = "at, key_id, key, team, provider, model, service_tier, region, provenance";
const WHAT = "meter, unit_price_usd, list_unit_price_usd, cost_usd, price_entry_id";

const BILLED_LINES = `SELECT ${WHOSE}, line.meter AS meter, line.unit_price_usd AS unit_price_usd,
    line.list_unit_price_usd AS list_unit_price_usd, line.cost_usd AS cost_usd, price_entry_id,
    toInt64(line.quantity) AS quantity
  FROM (SELECT ${WHOSE}, price_entry_id, arrayJoin(lines) AS line FROM calls FINAL WHERE ${POSTED_IN_RANGE})
  UNION ALL
  SELECT ${WHOSE}, ${WHAT}, quantity FROM corrections FINAL WHERE ${POSTED_IN_RANGE} AND ${HAS_AMOUNT}`;

const toParams = (workspace: string, { fromNs, toNs }: TimeRange): QueryParams => ({
  workspace,
  fromNs: fromNs.toString(),
  toNs: toNs.toString(),
});

export async function sumTeams(connection: Connection, workspace: string, range: TimeRange): Promise<TeamSum[]> {
  const rows = await connection.query<{ team: string; lines: string; cost_usd: string }>(
    `SELECT team, count() AS lines, sum(cost_usd) AS cost_usd FROM (${BILLED_LINES}) GROUP BY team ORDER BY team`,
    toParams(workspace, range),
  );
  return rows.map(({ team, lines, cost_usd }) => ({ team, lines: readCount(lines), exactUsd: parseDecimal(cost_usd) }));
}

export async function countUnknownCosts(connection: Connection, workspace: string, range: TimeRange) {
  const [row] = await connection.query<{ unpriced: string; quarantined: string }>(
    `SELECT countIf(status = 'unpriced') AS unpriced, countIf(status = 'quarantined') AS quarantined
     FROM (
       SELECT cost_status AS status FROM calls FINAL WHERE ${POSTED_IN_RANGE}
       UNION ALL
       -- Billed in a month that is closed, and not known any more.
       SELECT argMax(kind, number) AS status
       FROM corrections FINAL
       WHERE ${POSTED_IN_RANGE}
       GROUP BY call_id
     )`,
    toParams(workspace, range),
  );
  return { unpricedCalls: readCount(row?.unpriced ?? "0"), quarantinedCalls: readCount(row?.quarantined ?? "0") };
}

export async function readFirstPostedNs(connection: Connection, workspace: string): Promise<bigint | null> {
  const [row] = await connection.query<{ first_ns: string; calls: string }>(
    `SELECT min(${nanoseconds("posted_at")}) AS first_ns, count() AS calls
     FROM calls FINAL
     WHERE workspace = {workspace:String} AND cost_status != 'quarantined'`,
    { workspace },
  );
  return row === undefined || row.calls === "0" ? null : BigInt(row.first_ns);
}

export async function readNextPostedNs(
  connection: Connection,
  workspace: string,
  fromNs: bigint,
): Promise<bigint | null> {
  const postedSince = `workspace = {workspace:String} AND posted_at >= ${instantParam("fromNs")}`;
  const [row] = await connection.query<{ next_ns: string; posted: string }>(
    `SELECT min(${nanoseconds("posted_at")}) AS next_ns, count() AS posted
     FROM (
       SELECT posted_at FROM calls FINAL WHERE ${postedSince}
       UNION ALL
       SELECT posted_at FROM corrections FINAL WHERE ${postedSince}
     )`,
    { workspace, fromNs: fromNs.toString() },
  );
  return row === undefined || row.posted === "0" ? null : BigInt(row.next_ns);
}

/** What is used by the piece is no token. */
export async function listMinuteTokens(
  connection: Connection,
  workspace: string,
  range: TimeRange,
  timeZone: string,
  { provider, models, scope, scopeIds }: TokenFilter,
): Promise<{ day: string; tokens: number }[]> {
  const isTheirs = { org: "true", key: "key_id IN {scopeIds:Array(String)}", team: "team IN {scopeIds:Array(String)}" };
  const rows = await connection.query<{ day: string; tokens: string }>(
    `SELECT toString(toDate(min(at), {timeZone:String})) AS day, sum(quantity) AS tokens
     FROM (${BILLED_LINES})
     WHERE at >= ${instantParam("fromNs")} AND meter != 'web_search'
       AND provider = {provider:String} AND model IN {models:Array(String)} AND ${isTheirs[scope]}
     GROUP BY toStartOfMinute(at)
     ORDER BY toStartOfMinute(at)`,
    { ...toParams(workspace, range), timeZone: requireTimeZone(timeZone), provider, models, scopeIds },
  );
  return rows.map(({ day, tokens }) => ({ day, tokens: readCount(tokens) }));
}

type ChargeRow = {
  day: string;
  key_id: string;
  key: string;
  team: string;
  provider: string;
  model: string;
  service_tier: string;
  region: string;
  provenance: Provenance;
  meter: Meter;
  price_entry_id: string;
  unit_price_usd: string;
  list_unit_price_usd: string | null;
  is_correction: boolean;
  billed_quantity: string;
  billed_usd: string;
};

const CHARGE_GROUP = `day, team, key, key_id, provider, model, service_tier, region, meter, price_entry_id,
  unit_price_usd, list_unit_price_usd, provenance, is_correction`;

export async function* listCharges(
  connection: Connection,
  workspace: string,
  range: TimeRange,
  timeZone: string,
): AsyncGenerator<Charge[]> {
  const params = { ...toParams(workspace, range), timeZone: requireTimeZone(timeZone) };
  // What a correction takes back and charges again at the same price is nothing.
  const chunks = connection.stream<ChargeRow>(
    `SELECT toString(toDate(at, {timeZone:String})) AS day, at < ${instantParam("fromNs")} AS is_correction,
       ${CHARGE_GROUP.replace("day, ", "").replace(", is_correction", "")},
       sum(quantity) AS billed_quantity, sum(cost_usd) AS billed_usd
     FROM (${BILLED_LINES})
     GROUP BY ${CHARGE_GROUP}
     HAVING billed_quantity != 0 OR billed_usd != 0
     ORDER BY ${CHARGE_GROUP}`,
    params,
  );
  for await (const rows of chunks) yield rows.map(fromChargeRow);
}

const fromChargeRow = (row: ChargeRow): Charge => ({
  day: row.day,
  keyId: row.key_id,
  key: row.key,
  team: row.team,
  provider: row.provider,
  model: row.model,
  serviceTier: row.service_tier,
  region: row.region,
  meter: row.meter,
  priceEntryId: row.price_entry_id,
  unitPriceUsd: parseDecimal(row.unit_price_usd),
  listUnitPriceUsd: row.list_unit_price_usd === null ? null : parseDecimal(row.list_unit_price_usd),
  provenance: row.provenance,
  isCorrection: Boolean(row.is_correction),
  quantity: readCount(row.billed_quantity),
  costUsd: parseDecimal(row.billed_usd),
});
