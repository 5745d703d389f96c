/** When engines had which settings, by what they say with each request: a new spell begins with each change. */
import type { EngineSpell, TimeRange } from "@centspan/model";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";
import { instantParam, nanoseconds } from "../instants.ts";
import { FIRST_RECEIVED } from "../rows/span-row.ts";

/** Newest ones: engines of one name with settings of their own change places with every request. */
const MOST = 200;

const WORDS = {
  policy: "centspan.kv.policy",
  router: "centspan.engine.router",
  draft_tokens: "centspan.engine.draft_tokens",
  chunked_prefill: "centspan.engine.chunked_prefill",
  max_sequences: "centspan.engine.max_sequences",
  token_budget: "centspan.engine.token_budget",
  capacity_blocks: "centspan.kv.capacity_blocks",
} as const;
const NAMES = Object.keys(WORDS).join(", ");

type Row = Record<keyof typeof WORDS | "service" | "from_ns" | "to_ns" | "requests" | "replicas", string> & {
  basis: EngineSpell["basis"];
};

export async function listEngineSpells(
  connection: Connection,
  workspace: string,
  { fromNs, toNs }: TimeRange,
): Promise<EngineSpell[]> {
  const words = Object.entries(WORDS).map(([name, attribute]) => `attributes['${attribute}'] AS ${name}`);
  const rows = await connection.query<Row>(
    `SELECT service, basis, ${NAMES}, toString(${nanoseconds("min(started_at)")}) AS from_ns,
       toString(${nanoseconds("max(started_at)")}) AS to_ns, count() AS requests, uniqExact(replica) AS replicas
     FROM (
       SELECT *, sum(changed) OVER (PARTITION BY service ORDER BY started_at, span_id) AS spell
       FROM (
         SELECT *, settings != lagInFrame(settings, 1, '') OVER (
           PARTITION BY service ORDER BY started_at, span_id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS changed
         FROM (
           SELECT service, started_at, span_id, attributes['centspan.replica.id'] AS replica, ${words.join(", ")},
             if(attributes['centspan.provenance'] = 'simulated', 'simulated', 'measured') AS basis,
             concat('of ', arrayStringConcat([${NAMES}], ' ')) AS settings
           FROM (
             SELECT * FROM spans WHERE workspace = {workspace:String} AND name = 'inference.kv.lookup'
               AND started_at >= ${instantParam("fromNs")} AND started_at < ${instantParam("toNs")} ${FIRST_RECEIVED}
           )
         )
       )
     )
     GROUP BY service, basis, spell, ${NAMES}
     ORDER BY max(started_at) DESC, service
     LIMIT {most:UInt32}`,
    { workspace, fromNs: fromNs.toString(), toNs: toNs.toString(), most: MOST },
  );
  return rows.map((row) => ({
    service: row.service,
    basis: row.basis,
    fromNs: BigInt(row.from_ns),
    toNs: BigInt(row.to_ns),
    requests: readCount(row.requests),
    replicas: readCount(row.replicas),
    policy: row.policy,
    router: row.router,
    draftTokens: row.draft_tokens,
    chunkedPrefill: row.chunked_prefill,
    maxSequences: readCount(row.max_sequences || "0"),
    tokenBudget: readCount(row.token_budget || "0"),
    capacityBlocks: readCount(row.capacity_blocks || "0"),
  }));
}
