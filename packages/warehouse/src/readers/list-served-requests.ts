/**
 * Requests of an engine that reports each as one span (vLLM, SGLang): when it came, when its first token did, how much it was asked and
 * answered. Of its prompt such an engine says nothing: the gateway does, whose call the span is a child of. A span that was
 * delivered twice counts once.
 */
import type { ServedRequest, TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { instantParam, limitInstant, nanoseconds } from "../instants.ts";
import { type EngineRequestRow, readEngineRequest } from "../rows/engine-request-row.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";

/** Seconds in one release of vLLM, nanoseconds in another: no request takes eleven days. */
export const latencyNs = (name: string): string =>
  `toInt64(round(toFloat64OrZero(attributes['${name}']) * if(toFloat64OrZero(attributes['${name}']) > 1e6, 1, 1e9)))`;

type Row = EngineRequestRow & { replica: string; asked_ns: string; first_token_ns: string };

const FIRST_TOKEN = "gen_ai.latency.time_to_first_token";
/** A gateway begins a call before the engine hears of it: no longer before than it would wait for an answer. */
const LONGEST_NS = 600_000_000_000n;

export async function listServedRequests(
  connection: Connection,
  { workspace, service }: { workspace: string; service: string },
  { fromNs, toNs }: TimeRange,
  most: number,
): Promise<ServedRequest[]> {
  const beginNs = limitInstant(fromNs - LONGEST_NS).toString();
  const rows = await connection.query<Row>(
    `SELECT served.trace_id AS trace, replica, toString(asked_ns) AS asked_ns, toString(began_ns) AS arrived_ns,
       toString(began_ns + ttft_ns) AS first_token_ns,
       toString(began_ns + greatest(ttft_ns, if(e2e_ns > 0, e2e_ns, span_ns))) AS ended_ns,
       prompt, output, known, keys, priority, thread
     FROM (
       SELECT trace_id, span_id, parent_span_id, resource_attributes['service.instance.id'] AS replica,
         ${nanoseconds("started_at")} AS began_ns, ${nanoseconds("ended_at")} - began_ns AS span_ns,
         ${latencyNs(FIRST_TOKEN)} AS ttft_ns, ${latencyNs("gen_ai.latency.e2e")} AS e2e_ns,
         attributes['gen_ai.usage.prompt_tokens'] AS prompt, attributes['gen_ai.usage.completion_tokens'] AS output
       FROM spans
       WHERE workspace = {workspace:String} AND service = {service:String} AND mapContains(attributes, '${FIRST_TOKEN}')
         AND started_at >= ${instantParam("fromNs")} AND started_at < ${instantParam("toNs")} ${FIRST_RECEIVED}
     ) AS served
     LEFT JOIN (
       SELECT trace_id, span_id, ${nanoseconds("started_at")} AS asked_ns, session_id AS thread, attributes['centspan.prefix.known_blocks'] AS known,
         attributes['centspan.prefix.block_keys'] AS keys, attributes['centspan.engine.priority'] AS priority
       FROM spans
       WHERE workspace = {workspace:String} AND mapContains(attributes, 'centspan.prefix.fingerprint')
         AND started_at >= ${instantParam("beginNs")} AND started_at < ${instantParam("toNs")} ${FIRST_RECEIVED}
     ) AS asked ON asked.trace_id = served.trace_id AND asked.span_id = served.parent_span_id
     WHERE toUInt64OrZero(prompt) > 0 AND toUInt64OrZero(output) > 0
     ORDER BY began_ns, served.trace_id, served.span_id
     LIMIT {most:UInt64}`,
    { workspace, service, most, beginNs, fromNs: fromNs.toString(), toNs: toNs.toString() },
  );
  return rows.map((row) => ({
    ...readEngineRequest(service, row),
    replica: row.replica,
    askedAtNs: row.asked_ns === "0" ? null : BigInt(row.asked_ns),
    firstTokenAtNs: BigInt(row.first_token_ns),
  }));
}
