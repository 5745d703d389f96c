/**
 * How long engines were busy, with what. Steps are disjoint in time, and share theirs by tokens; of engines that report
 * whole requests (vLLM's `llm_request`) what counts is the time in which at least one was in the model, since they overlap.
 * A span that was delivered twice counts once, as the first.
 */
import type { EngineTime, TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";
import { latencyNs } from "./list-served-requests.ts";

const spansNamed = (name: string): string => `(
  SELECT * FROM spans
  WHERE workspace = {workspace:String} AND name = '${name}'
    AND started_at >= ${instantParam("fromNs")} AND started_at < ${instantParam("toNs")}
  ${FIRST_RECEIVED})`;

const count = (name: string): string => `toInt64OrZero(attributes['${name}'])`;
const IS_SIMULATED = "attributes['centspan.provenance'] = 'simulated' AS is_simulated";

/** An engine that runs slower or faster than its model says what the step takes there. */
const STEP_NS = `if(mapContains(attributes, 'centspan.step.time_ms'), toInt64(round(toFloat64OrZero(attributes['centspan.step.time_ms']) * 1e6)),
  ${nanoseconds("ended_at")} - ${nanoseconds("started_at")})`;

const STEPS = `SELECT service, ${IS_SIMULATED}, attributes['centspan.replica.id'] AS replica,
    ${STEP_NS} AS step_ns,
    ${count("centspan.step.prefill_tokens")} AS prefilled, ${count("centspan.step.batch_size")} AS decoding,
    prefilled + decoding + ${count("centspan.step.draft_proposed")} AS computed,
    intDivOrZero(step_ns * prefilled, computed) AS prefill_ns, step_ns - prefill_ns AS decode_ns,
    prefilled AS prefill_tokens, decoding + ${count("centspan.step.draft_accepted")} AS decode_tokens
  FROM ${spansNamed("inference.decode.step")}`;

const REQUESTS = `SELECT service, ${IS_SIMULATED}, resource_attributes['service.instance.id'] AS replica,
    ${latencyNs("gen_ai.latency.time_in_model_prefill")} AS prefill_ns,
    ${latencyNs("gen_ai.latency.time_in_model_decode")} AS decode_ns,
    ${count("gen_ai.usage.prompt_tokens")} AS prefill_tokens, ${count("gen_ai.usage.completion_tokens")} AS decode_tokens,
    ${nanoseconds("ended_at")} AS to_ns, to_ns - prefill_ns - decode_ns AS from_ns
  FROM ${spansNamed("llm_request")}`;

/** What of each request no earlier one was in the model at. */
const ALONE = `greatest(0, to_ns - greatest(from_ns, max(to_ns) OVER (
  PARTITION BY service, is_simulated, replica ORDER BY from_ns, to_ns
  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)))`;

const BY_REPLICA = `SELECT service, is_simulated, replica, sum(prefill_ns) AS prefill_ns, sum(decode_ns) AS decode_ns,
    prefill_ns + decode_ns AS busy_ns, sum(prefill_tokens) AS prefill_tokens, sum(decode_tokens) AS decode_tokens
  FROM (${STEPS}) GROUP BY service, is_simulated, replica
  UNION ALL
  SELECT service, is_simulated, replica, sum(prefill_ns) AS prefill_ns, sum(decode_ns) AS decode_ns,
    sum(alone_ns) AS busy_ns, sum(prefill_tokens) AS prefill_tokens, sum(decode_tokens) AS decode_tokens
  FROM (SELECT *, ${ALONE} AS alone_ns FROM (${REQUESTS})) GROUP BY service, is_simulated, replica`;

const PREFILL_SHARE = "toInt64(intDivOrZero(toInt256(busy_ns) * prefill_ns, prefill_ns + decode_ns))";

type Row = {
  service: string;
  is_simulated: boolean;
  replicas: string;
  prefill_share_ns: string;
  busy_sum_ns: string;
  prefill_sum: string;
  decode_sum: string;
};

export async function sumEngineTime(
  connection: Connection,
  workspace: string,
  { fromNs, toNs }: TimeRange,
): Promise<EngineTime[]> {
  const rows = await connection.query<Row>(
    `SELECT service, is_simulated, count() AS replicas, sum(${PREFILL_SHARE}) AS prefill_share_ns,
       sum(busy_ns) AS busy_sum_ns, sum(prefill_tokens) AS prefill_sum, sum(decode_tokens) AS decode_sum
     FROM (${BY_REPLICA})
     GROUP BY service, is_simulated
     ORDER BY service, is_simulated`,
    { workspace, fromNs: fromNs.toString(), toNs: toNs.toString() },
  );
  return rows.map((row) => ({
    service: row.service,
    basis: row.is_simulated ? "simulated" : "measured",
    replicas: readCount(row.replicas),
    prefillNs: BigInt(row.prefill_share_ns),
    decodeNs: BigInt(row.busy_sum_ns) - BigInt(row.prefill_share_ns),
    prefillTokens: readCount(row.prefill_sum),
    decodeTokens: readCount(row.decode_sum),
  }));
}
