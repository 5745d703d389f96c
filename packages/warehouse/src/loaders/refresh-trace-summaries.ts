/**
 * Works out the rows of `traces` again for traces with news, from their spans after duplicates are removed. Repeating it
 * changes nothing, and of two that overlap the one that began later counts, so any number of processes may do it.
 * What it costs follows the size of the traces with news, not what is stored; see docs/decisions/0009.
 */
import type { TraceSummaries } from "@centspan/model";
import type { Conditions } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam } from "../instants.ts";
import { readHorizon } from "../readers/read-horizon.ts";
import { FOREMOST } from "../rows/span-row.ts";

export async function refreshTraceSummaries(
  connection: Connection,
  sinceNs: bigint,
): ReturnType<TraceSummaries["refreshTraceSummaries"]> {
  const asOfNs = await readHorizon(connection, ["spans"]);
  const since = { sinceNs: sinceNs.toString() };
  const [news] = await connection.query<{ rows: string }>(
    `SELECT count() AS rows FROM spans WHERE received_at >= ${instantParam("sinceNs")}`,
    since,
  );
  for (const prefix of listIdPrefixes(readCount(news?.rows ?? "0"))) {
    await summariseTraces(connection, {
      sql: [
        "startsWith(trace_id, {prefix:String})",
        `(workspace, trace_id) IN (
           SELECT workspace, trace_id FROM spans
           WHERE received_at >= ${instantParam("sinceNs")} AND startsWith(trace_id, {prefix:String}) AND NOT of_replica
         )`,
      ],
      params: { ...since, prefix },
    });
  }
  return { asOfNs };
}

/** Removing duplicates takes about 50 bytes of the store's memory for each span; more come in parts. */
const ROWS_AT_ONCE = 4_000_000;

/** Of trace ids, which are hexadecimal and spread evenly: as many as leave no more than that under each. */
function listIdPrefixes(rows: number): string[] {
  if (rows <= ROWS_AT_ONCE) return [""];
  return listIdPrefixes(rows / 16).flatMap((prefix) => [..."0123456789abcdef"].map((digit) => prefix + digit));
}

/** Of the traces that the conditions choose; they must choose whole traces. */
export async function summariseTraces(connection: Connection, { sql, params }: Conditions): Promise<void> {
  await connection.command(
    `INSERT INTO traces
     SELECT workspace, trace_id,
       face.1 AS face_id, face.2 AS name, face.3 AS has_root, face.4 AS started_at, face.5 AS ended_at,
       first_started_at, last_started_at, last_ended_at, spans, errors,
       face.6 AS task, face.7 AS run_id, face.8 AS team, face.9 AS model,
       identities, toUInt64(toUnixTimestamp64Nano(now64(9))) AS revision
     FROM (
       SELECT workspace, trace_id,
         argMinIf(
           (span_id, name, parent_span_id = '', started_at, ended_at, task, run_id, team, model),
           (parent_span_id != '', started_at, span_id),
           NOT of_replica
         ) AS face,
         min(started_at) AS first_started_at, max(started_at) AS last_started_at, max(ended_at) AS last_ended_at,
         count() AS spans, countIf(status = 'error') AS errors,
         groupUniqArrayIf(${MOST_IDENTITIES})(
           (task, run_id, toString(team), session_id),
           NOT of_replica AND (task != '' OR run_id != '' OR team != '' OR session_id != '')
         ) AS identities
       FROM (
         SELECT workspace, trace_id, span_id, parent_span_id, name, started_at, ended_at, status,
           task, run_id, team, model, session_id, of_replica
         FROM spans
         WHERE ${sql.join(" AND ")}
         ORDER BY workspace, trace_id, span_id, ${FOREMOST}
         LIMIT 1 BY workspace, trace_id, span_id
       )
       GROUP BY workspace, trace_id
       HAVING countIf(NOT of_replica) > 0
     )
     SETTINGS optimize_on_insert = 0`,
    params,
  );
}

/** A trace that serves more tasks, runs and sessions than that is found by so many of them: the Trace API says so. */
const MOST_IDENTITIES = 1000;
