/**
 * Requests by what our gateway says of each call, whoever answered it: when it was asked and answered, how much, and its prompt's blocks.
 * Calls of which no usage is known are left out. A span that was delivered twice counts once.
 */
import type { AskedFilter, EngineRequest } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { type EngineRequestRow, readEngineRequest } from "../rows/engine-request-row.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";

type Row = EngineRequestRow & { service: string };

export async function listAskedRequests(
  connection: Connection,
  workspace: string,
  { range: { fromNs, toNs }, key = "", model = "" }: AskedFilter,
  most: number,
): Promise<EngineRequest[]> {
  const rows = await connection.query<Row>(
    `SELECT service, trace_id AS trace, toString(${nanoseconds("started_at")}) AS arrived_ns,
       toString(${nanoseconds("ended_at")}) AS ended_ns, session_id AS thread,
       attributes['gen_ai.usage.input_tokens'] AS prompt, attributes['gen_ai.usage.output_tokens'] AS output,
       attributes['centspan.prefix.known_blocks'] AS known, attributes['centspan.prefix.block_keys'] AS keys,
       attributes['centspan.engine.priority'] AS priority
     FROM (
       SELECT * FROM spans
       WHERE workspace = {workspace:String} AND mapContains(attributes, 'centspan.prefix.fingerprint')
         AND started_at >= ${instantParam("fromNs")} AND started_at < ${instantParam("toNs")} ${FIRST_RECEIVED}
     )
     WHERE toUInt64OrZero(prompt) > 0 AND toUInt64OrZero(output) > 0
       AND {key:String} IN ('', attributes['centspan.key.name'])
       AND {model:String} IN ('', attributes['gen_ai.request.model'], attributes['gen_ai.response.model'])
     ORDER BY started_at DESC, trace_id DESC, span_id DESC
     LIMIT {most:UInt64}`,
    { workspace, most, key, model, fromNs: fromNs.toString(), toNs: toNs.toString() },
  );
  return rows.reverse().map((row) => readEngineRequest(row.service, row));
}
