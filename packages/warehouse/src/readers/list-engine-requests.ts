/**
 * The requests of an engine, each put together from its spans: when it came, what its prompt was by its blocks, when it ended.
 * Of one that was admitted twice the first time tells its prompt. A span that was delivered twice counts once.
 */
import type { EngineRequest, TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam, limitInstant, nanoseconds } from "../instants.ts";
import { type EngineRequestRow, readEngineRequest } from "../rows/engine-request-row.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";

type Row = EngineRequestRow & { time_scale: number };

/** Who waits as the range begins, or is under way at its end, is looked for as long on either side. */
const LONGEST_NS = 3_600_000_000_000n;

const isOf = (name: string): string => `name = 'inference.${name}'`;
const said = (attribute: string): string =>
  `argMinIf(attributes['${attribute}'], started_at, ${isOf("kv.lookup")} AND mapContains(attributes, 'centspan.prompt.tokens'))`;

export async function listEngineRequests(
  connection: Connection,
  { workspace, service }: { workspace: string; service: string },
  { fromNs, toNs }: TimeRange,
  most: number,
): Promise<EngineRequest[]> {
  const params = { workspace, service, most, fromNs: fromNs.toString(), toNs: toNs.toString() };
  const [beginNs, endNs] = [fromNs - LONGEST_NS, toNs + LONGEST_NS].map((ns) => limitInstant(ns).toString());
  const rows = await connection.query<Row>(
    `SELECT min(trace_id) AS trace,
       toString(${nanoseconds(`minIf(started_at, ${isOf("queue")})`)}) AS arrived_ns,
       toString(${nanoseconds(`maxIf(ended_at, ${isOf("decode")})`)}) AS ended_ns,
       greatest(0, toFloat64OrZero(max(attributes['centspan.time_scale']))) AS time_scale,
       ${said("centspan.prompt.tokens")} AS prompt,
       toString(sumIf(toUInt64OrZero(attributes['centspan.decode.tokens']), ${isOf("decode")})) AS output,
       ${said("centspan.prefix.known_blocks")} AS known, ${said("centspan.prefix.block_keys")} AS keys,
       ${said("centspan.engine.priority")} AS priority, ${said("centspan.engine.thread")} AS thread
     FROM (
       SELECT * FROM spans
       WHERE workspace = {workspace:String} AND service = {service:String}
         AND name IN ('inference.queue', 'inference.kv.lookup', 'inference.decode')
         AND started_at >= ${instantParam("beginNs")} AND started_at < ${instantParam("endNs")} ${FIRST_RECEIVED}
     )
     WHERE attributes['centspan.engine.request_id'] != ''
     GROUP BY attributes['centspan.engine.request_id']
     HAVING countIf(${isOf("queue")}) > 0 AND prompt != ''
       AND minIf(started_at, ${isOf("kv.lookup")}) >= ${instantParam("fromNs")}
       AND minIf(started_at, ${isOf("kv.lookup")}) < ${instantParam("toNs")}
     ORDER BY minIf(started_at, ${isOf("queue")}), attributes['centspan.engine.request_id']
     LIMIT {most:UInt64}`,
    { ...params, beginNs, endNs },
  );
  return rows.map((row) => {
    const request = readEngineRequest(service, row);
    const timeScale = row.time_scale === 0 ? 1 : row.time_scale;
    return { ...request, timeScale, endedAtNs: row.output === "0" ? null : request.endedAtNs };
  });
}
