/** Calls by the million, made in the store itself: of 5,000 keys in 12 teams, with six models, evenly over some days. */
import { type IngestStack, WORKSPACE } from "../stack/ingest-stack.ts";

const CALLS_PER_INSERT = 1_000_000;
const DAY_NS = 86_400_000_000_000n;

/** A column's value as SQL, of `n`, the call's number, and `h`, a hash of it. */
export type CallValues = Readonly<Record<string, string>>;

const VALUES: CallValues = {
  workspace: `'${WORKSPACE}'`,
  call_id: "concat('call_', lower(hex(sipHash128(n))))",
  trace_id: "lower(hex(sipHash128(intDiv(n, 40))))",
  span_id: "lower(hex(sipHash64(n)))",
  duration_ns: "toInt64(h % 20000000000)",
  key_id: "concat('key_', toString(h % 5000))",
  key: "concat('agent-', toString(h % 5000))",
  team: "concat('team-', toString(h % 5000 % 12))",
  repository: "concat('repo-', toString(h % 5000 % 60))",
  task: "concat('TICKET-', toString(intDiv(n, 400)))",
  task_type: "['bug', 'feature', 'review'][1 + intDiv(n, 400) % 3]",
  run_id: "lower(hex(sipHash64(intDiv(n, 40))))",
  session_id: "lower(hex(sipHash64(intDiv(n, 40), 's')))",
  role: "['plan', 'execute', 'verify'][1 + h % 3]",
  provider: "['openai', 'anthropic', 'deepseek', 'google', 'openai', 'anthropic'][1 + h % 6]",
  model: `['gpt-6.1-sol', 'claude-opus-5-5', 'deepseek-v4-pro', 'gemini-3.1-pro-preview', 'gpt-6-luna',
    'claude-sonnet-5-5'][1 + h % 6]`,
  effort: "['high', 'low', 'medium'][1 + h % 3]",
  response_id: "concat('resp_', hex(h))",
  source: "'gateway'",
  dialect: "'semconv'",
  input_semantics: "'inclusive'",
  requests: "1",
  input: "500 + h % 30000",
  cache_read: "h % 300000",
  cache_write_5m: "if(h % 6 IN (1, 5), h % 4000, 0)",
  output_text: "20 + h % 900",
  output_reasoning: "if(h % 4 = 0, h % 2000, 0)",
  cost_status: "'unpriced'",
  provenance: "'measured'",
  revision: "1",
};

/** One price for all meters of a call: what is asked of rated calls does not depend on which. */
const METERS = ["input", "cache_read", "cache_write_5m", "output_text", "output_reasoning"];
const UNIT = "toDecimal128('0.000001000001', 12)";
export const RATED: CallValues = {
  cost_status: "'rated'",
  price_entry_id: "'entry'",
  rating_run_id: "'bench'",
  cost_usd: `(${METERS.join(" + ")}) * ${UNIT}`,
  lines: `arrayFilter(line -> line.2 > 0, [${METERS.map(
    (meter) => `('${meter}', ${meter}, ${UNIT}, NULL, ${meter} * ${UNIT})`,
  ).join(", ")}])`,
};

export async function fillCalls(
  stack: IngestStack,
  { calls, fromNs, days, values = {} }: { calls: number; fromNs: bigint; days: number; values?: CallValues },
  say: (text: string) => void,
): Promise<void> {
  const stepNs = (BigInt(days) * DAY_NS) / BigInt(calls);
  const all = { ...VALUES, at: `fromUnixTimestamp64Nano(toInt64(${fromNs} + n * ${stepNs}), 'UTC')`, ...values };
  for (let from = 0; from < calls; from += CALLS_PER_INSERT) {
    const count = Math.min(CALLS_PER_INSERT, calls - from);
    await stack.query(
      `INSERT INTO calls (${Object.keys(all).join(", ")})
       SELECT ${Object.entries(all)
         .map(([name, value]) => `${value} AS ${name}`)
         .join(", ")}
       FROM (SELECT number AS n, sipHash64(n) AS h FROM numbers(${from}, ${count}))
       SETTINGS max_partitions_per_insert_block = 0, materialize_skip_indexes_on_insert = 0`,
    );
    say(`filled ${from + count} calls`);
  }
  // What a loader tells of calls beside the calls.
  await stack.query("INSERT INTO call_times SELECT workspace, call_id, at FROM calls");
  await stack.query(
    `INSERT INTO cost_days (workspace, time_zone, from_at, to_at, revision)
     SELECT DISTINCT workspace, 'UTC', toStartOfDay(at) AS from_at, from_at + INTERVAL 1 DAY, 1 FROM calls`,
  );
}
