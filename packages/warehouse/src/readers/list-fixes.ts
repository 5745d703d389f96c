/**
 * What one change would end: items of one cause with the same difference in the same part of the prompt, the dearest first.
 * What has not been seen for a week, while there were calls, is mended.
 */
import { parseDecimal } from "@centspan/base";
import type { CallFilter, Provenance, WasteFix, WasteLayer } from "@centspan/model";
import { and } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { nanoseconds } from "../instants.ts";
import { COST_BY_PROVENANCE, readByProvenance } from "../rows/waste-row.ts";
import { IS_WATCHED } from "./runs.ts";
import { COUNT_CALLS, DEAREST, whereWaste } from "./sum-waste.ts";

/** What one change ends. */
const FIX = "cause, change, section";
const PROOFS = 3;
const MOST_NAMES = 10;
const MENDED_DAYS = 7;

type Row = {
  cause: string;
  fix_layer: WasteLayer;
  change: string;
  section: string;
  fix_path: string;
  sum_usd: string;
  daily_usd: string[];
  sum_seconds: number;
  calls: string;
  runs: string;
  first_ns: string;
  watched_from_ns: string;
  key_names: string[];
  team_names: string[];
  proof: [costUsd: string, traceId: string, spanId: string, task: string][];
} & Record<Provenance, string>;

export async function listFixes(
  connection: Connection,
  workspace: string,
  filter: CallFilter,
  limit: number,
): Promise<WasteFix[]> {
  const where = whereWaste(filter);
  const rows = await connection.query<Row>(
    `WITH
       (
         SELECT (min(at), max(at)) FROM calls FINAL WHERE workspace = {workspace:String} AND ${IS_WATCHED}${and(where)}
       ) AS watched,
       items AS (
         SELECT *, change, section, path, cityHash64(${FIX}) AS fix_hash, cityHash64(run) AS run_hash FROM waste_items FINAL
         WHERE workspace = {workspace:String} AND kind = 'repeated'${and(where)}
       ),
       fixes AS (
         SELECT ${FIX}, min(layer) AS fix_layer, argMax(path, ${DEAREST}) AS fix_path,
           sum(cost_usd) AS sum_usd, sum(seconds) AS sum_seconds, ${COUNT_CALLS} AS calls, uniqExact(run_hash) AS runs,
           ${nanoseconds("min(at)")} AS first_ns,
           groupUniqArray(${MOST_NAMES})(key) AS key_names, groupUniqArray(${MOST_NAMES})(team) AS team_names,
           ${COST_BY_PROVENANCE}
         FROM items GROUP BY ${FIX}
         HAVING max(at) >= watched.2 - INTERVAL ${MENDED_DAYS} DAY
         ORDER BY sum_usd DESC, sum_seconds DESC, ${FIX} LIMIT {limit:UInt32}
       ),
       days AS (
         SELECT ${FIX}, groupArray(day_usd) AS daily_usd FROM (
           SELECT ${FIX}, toDate(at) AS day, sum(cost_usd) AS day_usd FROM items GROUP BY ${FIX}, day ORDER BY day
         ) GROUP BY ${FIX}
       ),
       dearest AS (
         SELECT fix_hash, run_hash, sum(cost_usd) AS run_usd FROM items GROUP BY fix_hash, run_hash
         ORDER BY run_usd DESC, run_hash LIMIT ${PROOFS} BY fix_hash
       ),
       proofs AS (
         SELECT ${FIX}, groupArray(proof) AS proof FROM (
           SELECT ${FIX}, argMax((trace_id, span_id, task), ${DEAREST}) AS place, any_value(run_usd) AS usd,
             (toString(usd), place.1, place.2, place.3) AS proof
           FROM items INNER JOIN dearest USING (fix_hash, run_hash)
           GROUP BY ${FIX}, run_hash ORDER BY usd DESC, run_hash
         ) GROUP BY ${FIX}
       )
     SELECT *, ${nanoseconds("watched.1")} AS watched_from_ns
     FROM fixes INNER JOIN days USING (${FIX}) INNER JOIN proofs USING (${FIX})
     ORDER BY sum_usd DESC, sum_seconds DESC, ${FIX}`,
    { ...where.params, workspace, limit },
  );
  return rows.map((row) => ({
    cause: row.cause,
    layer: row.fix_layer,
    change: row.change,
    section: row.section,
    path: row.fix_path,
    costUsd: parseDecimal(row.sum_usd),
    dailyUsd: row.daily_usd.map(parseDecimal),
    seconds: row.sum_seconds,
    calls: readCount(row.calls),
    runs: readCount(row.runs),
    firstNs: BigInt(row.first_ns),
    watchedFromNs: BigInt(row.watched_from_ns),
    keys: row.key_names.sort(),
    teams: row.team_names.filter((team) => team !== "").sort(),
    byProvenance: readByProvenance(row),
    proof: row.proof.map(([costUsd, traceId, spanId, task]) => ({
      costUsd: parseDecimal(costUsd),
      traceId,
      spanId,
      task,
    })),
  }));
}
