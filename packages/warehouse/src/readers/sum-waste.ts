/** What was paid for twice, by group and in all, added up by the server as decimals. */
import { type Decimal, parseDecimal, ZERO } from "@centspan/base";
import {
  type CallFilter,
  type Provenance,
  WASTE_KINDS,
  type WasteFilter,
  type WasteGroup,
  type WasteKind,
  type WasteLayer,
  type WasteQuestion,
  type WasteSum,
  type WasteTotals,
} from "@centspan/model";
import { queryInChunks } from "../chunks.ts";
import { allOf, and, type Conditions, whereColumns, whereEquals, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { COST_BY_PROVENANCE, readByProvenance } from "../rows/waste-row.ts";
import { GROUP_COLUMNS, requireTimeZone } from "./groups.ts";
import { isAnalysed } from "./runs.ts";

const COLUMNS: Record<WasteGroup, string> = {
  cause: "cause",
  layer: "layer",
  key: GROUP_COLUMNS.key,
  team: GROUP_COLUMNS.team,
  task: GROUP_COLUMNS.task,
  day: GROUP_COLUMNS.day,
};

export const whereWaste = ({ cause, layer, spanId, ...filter }: WasteFilter): Conditions =>
  allOf(whereEquals(filter), whereInRange(filter, "at"), whereColumns({ cause, layer, span_id: spanId }));

/** By hashes of 64 bits, which take half as long: of a million, two are one once in thirty million times. */
export const COUNT_CALLS = "uniqExact(cityHash64(call_id))";
const COUNT_RUNS = "uniqExact(cityHash64(run))";

/**
 * Which item cost most, or else took longest, as one number, which is kept for less than a tuple is: micro-dollars, then
 * milliseconds. Of equal ones it is any, but always the same.
 */
export const DEAREST = `bitShiftLeft(toUInt128(greatest(toInt64(cost_usd * 1000000), 0)), 64)
  + bitShiftLeft(toUInt64(least(seconds * 1000, 1e12)), 24) + bitAnd(cityHash64(item_id), 16777215)`;

type SumRow = {
  group: string;
  group_layer: WasteLayer | "";
  group_kind: WasteKind | "";
  sum_usd: string;
  sum_seconds: number;
  calls: string;
  runs: string;
  top: [traceId: string, spanId: string];
} & Record<Provenance, string>;

export async function sumWaste(
  connection: Connection,
  workspace: string,
  { groupBy, filter, timeZone, limit }: WasteQuestion,
): Promise<WasteSum[]> {
  const where = whereWaste(filter);
  const ofCause = groupBy === "cause";
  const rows = await connection.query<SumRow>(
    `SELECT ${COLUMNS[groupBy]} AS group, ${ofCause ? "min(layer)" : "''"} AS group_layer,
       ${ofCause ? "min(kind)" : "''"} AS group_kind,
       sum(cost_usd) AS sum_usd, sum(seconds) AS sum_seconds, ${COUNT_CALLS} AS calls, ${COUNT_RUNS} AS runs,
       argMax((trace_id, span_id), ${DEAREST}) AS top, ${COST_BY_PROVENANCE}
     FROM waste_items FINAL
     WHERE workspace = {workspace:String}${and(where)}
     GROUP BY group
     ORDER BY sum_usd DESC, sum_seconds DESC, group
     ${limit === undefined ? "" : "LIMIT {limit:UInt32}"}`,
    { ...where.params, workspace, limit, timeZone: requireTimeZone(timeZone) },
  );
  return rows.map((row) => ({
    group: row.group,
    layer: row.group_layer,
    kind: row.group_kind,
    costUsd: parseDecimal(row.sum_usd),
    seconds: row.sum_seconds,
    calls: readCount(row.calls),
    runs: readCount(row.runs),
    topEvidence: { traceId: row.top[0], spanId: row.top[1] },
    byProvenance: readByProvenance(row),
  }));
}

export async function sumWasteTotals(
  connection: Connection,
  workspace: string,
  filter: CallFilter,
): Promise<WasteTotals> {
  const where = whereWaste(filter);
  const ofTraces = filter.traceId === undefined ? "true" : "trace_id = {traceId:String}";
  const params = { ...where.params, workspace };
  const [spend] = await connection.query<{ spent: string | null; not_analysed: string | null }>(
    `SELECT sum(cost_usd) AS spent, sumIf(cost_usd, NOT ${isAnalysed(ofTraces)}) AS not_analysed FROM calls FINAL
     WHERE workspace = {workspace:String}${and(where)}`,
    params,
  );
  const [waste] = await connection.query<Record<WasteKind, string> & { sum_seconds: number }>(
    `SELECT ${WASTE_KINDS.map((kind) => `sumIf(cost_usd, kind = '${kind}') AS ${kind}`).join(", ")},
       sum(seconds) AS sum_seconds
     FROM waste_items FINAL
     WHERE workspace = {workspace:String}${and(where)}`,
    params,
  );
  const amount = (text: string | null | undefined) => (text ? parseDecimal(text) : ZERO);
  return {
    spendUsd: amount(spend?.spent),
    notAnalysedUsd: amount(spend?.not_analysed),
    repeatedUsd: amount(waste?.repeated),
    failedUsd: amount(waste?.failed),
    seconds: waste?.sum_seconds ?? 0,
  };
}

const OF_TRACES = "trace_id IN {traceIds:Array(String)}";

export async function sumTraceWaste(
  connection: Connection,
  workspace: string,
  ids: readonly string[],
): Promise<Map<string, Decimal>> {
  const rows = await queryInChunks(ids, (traceIds) =>
    connection.query<{ trace_id: string; sum_usd: string }>(
      `SELECT trace_id, sum(waste_usd) AS sum_usd FROM (
         SELECT trace_id, toDecimal128(0, 12) AS waste_usd FROM calls FINAL
         WHERE workspace = {workspace:String} AND ${OF_TRACES} AND ${isAnalysed(OF_TRACES)}
         UNION ALL
         SELECT trace_id, cost_usd AS waste_usd FROM waste_items FINAL
         WHERE workspace = {workspace:String} AND ${OF_TRACES} AND kind = 'repeated'
       )
       GROUP BY trace_id`,
      { workspace, traceIds },
    ),
  );
  return new Map(rows.map((row) => [row.trace_id, parseDecimal(row.sum_usd)]));
}

export async function sumSpanWaste(
  connection: Connection,
  workspace: string,
  traceId: string,
): Promise<Map<string, Decimal>> {
  const rows = await connection.query<{ span_id: string; sum_usd: string }>(
    `SELECT span_id, sum(cost_usd) AS sum_usd FROM waste_items FINAL
     WHERE workspace = {workspace:String} AND trace_id = {traceId:String} AND kind = 'repeated'
     GROUP BY span_id`,
    { workspace, traceId },
  );
  return new Map(rows.map((row) => [row.span_id, parseDecimal(row.sum_usd)]));
}
