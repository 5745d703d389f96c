/**
 * What engines say of their steps and of themselves, for who fits step times: a sample of steps that is the same at each
 * asking, and every value of the engine's limits. A span that was delivered twice counts once, as the first.
 */
import type { EngineFacts, EngineStep, TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";

const within = (name: string): string => `workspace = {workspace:String} AND name = '${name}'
  AND started_at >= ${instantParam("fromNs")} AND started_at < ${instantParam("toNs")}`;

const count = (name: string): string => `toUInt64OrZero(attributes['${name}'])`;
const counts = (name: string): string => `JSONExtract(attributes['${name}'], 'Array(UInt32)')`;
const basis = "if(attributes['centspan.provenance'] = 'simulated', 'simulated', 'measured')";

type StepRow = {
  service: string;
  replica: string;
  basis: "measured" | "simulated";
  started_ns: string;
  step_ms: number;
  sequences: string;
  context: string;
  prefilled: string;
  pairs: string | null;
  proposed: string;
  accepted: string;
  accepted_at: number[];
  rejected_at: number[];
};

/** Spans are drawn by a hash of their ids, so that the sample does not follow any period of the engine's. */
export async function listEngineSteps(
  connection: Connection,
  workspace: string,
  { fromNs, toNs }: TimeRange,
  most: number,
): Promise<EngineStep[]> {
  const params = { workspace, fromNs: fromNs.toString(), toNs: toNs.toString() };
  const rows = await connection.query<StepRow>(
    `WITH (SELECT count() FROM spans WHERE ${within("inference.decode.step")}) AS all_steps
     SELECT service, attributes['centspan.replica.id'] AS replica, ${basis} AS basis,
       toString(${nanoseconds("started_at")}) AS started_ns,
       if(mapContains(attributes, 'centspan.step.time_ms'), toFloat64OrZero(attributes['centspan.step.time_ms']),
         (${nanoseconds("ended_at")} - ${nanoseconds("started_at")}) / 1e6) AS step_ms,
       ${count("centspan.step.batch_size")} AS sequences, ${count("centspan.step.context_tokens")} AS context,
       ${count("centspan.step.prefill_tokens")} AS prefilled,
       if(mapContains(attributes, 'centspan.step.prefill_pairs'), ${count("centspan.step.prefill_pairs")}, NULL) AS pairs,
       ${count("centspan.step.draft_proposed")} AS proposed, ${count("centspan.step.draft_accepted")} AS accepted,
       ${counts("centspan.step.draft_accepted_at")} AS accepted_at, ${counts("centspan.step.draft_rejected_at")} AS rejected_at
     FROM (SELECT * FROM spans WHERE ${within("inference.decode.step")} ${FIRST_RECEIVED})
     WHERE cityHash64(trace_id, span_id) % greatest(1, intDiv(all_steps + {most:UInt64} - 1, {most:UInt64})) = 0
     ORDER BY started_at, replica, span_id`,
    { ...params, most },
  );
  return rows.map((row) => ({
    service: row.service,
    replica: row.replica,
    basis: row.basis,
    startedAtNs: BigInt(row.started_ns),
    stepMs: row.step_ms,
    decodeSequences: readCount(row.sequences),
    decodeContextTokens: readCount(row.context),
    prefillTokens: readCount(row.prefilled),
    prefillAttentionPairs: row.pairs === null ? (row.prefilled === "0" ? 0 : null) : readCount(row.pairs),
    draftedTokens: readCount(row.proposed),
    acceptedTokens: readCount(row.accepted),
    acceptedAt: row.accepted_at,
    rejectedAt: row.rejected_at,
  }));
}

type FactsRow = {
  service: string;
  basis: "measured" | "simulated";
  replicas: string;
  requests: string;
  block_tokens: string[];
  capacity_blocks: string[];
  max_sequences: string[];
  token_budgets: string[];
  policies: string[];
  routers: string[];
  drafts: string[];
  chunked: string[];
  least: string;
  greatest: string;
};

/** Each value that was said, in order; those who say nothing are left out. */
const valuesOf = (name: string): string =>
  `arraySort(groupUniqArrayIf(${count(name)}, mapContains(attributes, '${name}')))`;
const wordsOf = (name: string): string =>
  `arraySort(groupUniqArrayIf(attributes['${name}'], attributes['${name}'] != ''))`;
const PROMPT = `(${count("centspan.kv.hit_blocks")} + ${count("centspan.kv.miss_blocks")}) * ${count("centspan.kv.block_tokens")}`;

export async function listEngineFacts(
  connection: Connection,
  workspace: string,
  { fromNs, toNs }: TimeRange,
): Promise<EngineFacts[]> {
  const rows = await connection.query<FactsRow>(
    `SELECT service, ${basis} AS basis, uniqExact(attributes['centspan.replica.id']) AS replicas, count() AS requests,
       ${valuesOf("centspan.kv.block_tokens")} AS block_tokens,
       ${valuesOf("centspan.kv.capacity_blocks")} AS capacity_blocks,
       ${valuesOf("centspan.engine.max_sequences")} AS max_sequences,
       ${valuesOf("centspan.engine.token_budget")} AS token_budgets,
       ${wordsOf("centspan.kv.policy")} AS policies, ${wordsOf("centspan.engine.router")} AS routers,
       ${wordsOf("centspan.engine.draft_tokens")} AS drafts, ${wordsOf("centspan.engine.chunked_prefill")} AS chunked,
       min(${PROMPT}) AS least, max(${PROMPT}) AS greatest
     FROM (SELECT * FROM spans WHERE ${within("inference.kv.lookup")} ${FIRST_RECEIVED})
     GROUP BY service, basis
     ORDER BY service, basis`,
    { workspace, fromNs: fromNs.toString(), toNs: toNs.toString() },
  );
  return rows.map((row) => ({
    service: row.service,
    basis: row.basis,
    replicas: readCount(row.replicas),
    requests: readCount(row.requests),
    blockTokens: row.block_tokens.map(readCount),
    capacityBlocks: row.capacity_blocks.map(readCount),
    maxSequences: row.max_sequences.map(readCount),
    tokenBudgets: row.token_budgets.map(readCount),
    policies: row.policies,
    routers: row.routers,
    draftTokens: row.drafts,
    chunkedPrefill: row.chunked.map((word) => word === "true"),
    promptTokens: [readCount(row.least), readCount(row.greatest)],
  }));
}
