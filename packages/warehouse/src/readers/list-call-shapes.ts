/** Calls that are alike in who makes them and of what model, with how long their answers are: what to look at for what they could be. */
import { parseDecimal } from "@centspan/base";
import { type CallShape, EMPTY_BUCKETS, type TimeRange } from "@centspan/model";
import { and, whereInRange } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { readCount } from "../counts.ts";

/** Dearest first; others are not worth anybody's attention. */
const MOST = 200;
/** An answer this many times as long as all but one in twenty is nobody's intention. */
const TIMES_USUAL = 4;

type Row = Record<"key" | "provider" | "model" | "tier" | "task_type" | "effort" | "calls" | "spent_usd", string> &
  Record<"uncached" | "reads" | "write_5m" | "write_1h" | "text" | "reasoning" | "sessions" | "p95" | "beyond", string>;

export async function listCallShapes(
  connection: Connection,
  workspace: string,
  range: TimeRange,
): Promise<CallShape[]> {
  const within = whereInRange({ range }, "at");
  const group = "key, provider, model, service_tier, task_type, effort";
  const rows = await connection.query<Row>(
    `WITH alike AS (
       SELECT ${group}, quantileExact(0.95)(output_text + output_reasoning) AS usual
       FROM calls FINAL
       WHERE workspace = {workspace:String} AND requests = 1 AND quarantine_reason = ''${and(within)}
       GROUP BY ${group}
     )
     SELECT key, provider, model, service_tier AS tier, task_type, effort, toString(count()) AS calls,
       toString(sum(ifNull(cost_usd, 0))) AS spent_usd, toString(sum(input)) AS uncached,
       toString(sum(cache_read)) AS reads,
       toString(sum(cache_write_5m)) AS write_5m, toString(sum(cache_write_1h)) AS write_1h,
       toString(sum(output_text)) AS text, toString(sum(output_reasoning)) AS reasoning,
       toString(uniqExact(if(session_id = '', call_id, session_id))) AS sessions, toString(max(usual)) AS p95,
       toString(sum(greatest(0, toInt64(output_text + output_reasoning) - ${TIMES_USUAL} * toInt64(usual)))) AS beyond
     FROM calls FINAL INNER JOIN alike USING (${group})
     WHERE workspace = {workspace:String} AND requests = 1 AND quarantine_reason = ''${and(within)}
     GROUP BY ${group}
     ORDER BY sum(ifNull(cost_usd, 0)) DESC, ${group}
     LIMIT ${MOST}`,
    { ...within.params, workspace },
  );
  return rows.map((row) => ({
    key: row.key,
    provider: row.provider,
    model: row.model,
    serviceTier: row.tier,
    taskType: row.task_type,
    effort: row.effort,
    calls: readCount(row.calls),
    sessions: readCount(row.sessions),
    costUsd: parseDecimal(row.spent_usd),
    buckets: {
      ...EMPTY_BUCKETS,
      input: readCount(row.uncached),
      cacheRead: readCount(row.reads),
      cacheWrite5m: readCount(row.write_5m),
      cacheWrite1h: readCount(row.write_1h),
      outputText: readCount(row.text),
      outputReasoning: readCount(row.reasoning),
    },
    usualOutput: readCount(row.p95),
    outputBeyond: readCount(row.beyond),
  }));
}
