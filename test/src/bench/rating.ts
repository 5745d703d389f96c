/**
 * `bench rating`: how long a rating run takes for many calls that have no price yet, from the question which prices there
 * are to the last line written, and that a second run changes nothing. Some calls are compared with `rateCall`.
 */
import { formatDecimal, parseInstant } from "@centspan/base";
import type { RatedCall, TimeRange } from "@centspan/model";
import { findScopes, listPrices, rateCall, tabulatePrices } from "@centspan/pricing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { type IngestStack, startIngestStack, WORKSPACE } from "../stack/ingest-stack.ts";
import { until } from "../stack/processes.ts";
import { defineBench, readNumber, round } from "./bench.ts";

const CALLS_PER_INSERT = 1_000_000;
const COMPARED = 500;
const DAYS = 30;
const WAIT_MS = 600_000;
const fromNs = parseInstant("2026-10-01") ?? 0n;
const range: TimeRange = { fromNs, toNs: parseInstant("2026-11-01") ?? 0n };

export default defineBench({
  name: "rating",
  describe: "seconds to rate a month of calls by sets, and how many a second run changes",
  flags: { calls: "calls of the month (10000000)" },
  async run(flags, say) {
    const calls = readNumber("calls", flags.calls, 10_000_000);
    const stack = await startIngestStack();
    const warehouse = openWarehouse({ url: stack.clickhouseUrl });
    try {
      await fillCalls(stack, calls, say);
      await until("merges are over", async () => ((await countMerges(stack)) === 0 ? true : undefined), WAIT_MS);
      say("rating");
      const startedAtMs = performance.now();
      const rated = await rate(warehouse);
      const seconds = (performance.now() - startedAtMs) / 1000;
      if (rated !== calls) throw new Error(`rated ${rated} calls of ${calls}`);
      await compare(stack, warehouse);
      say("rating again");
      return { calls, seconds: round(seconds), rerunChanged: await rate(warehouse) };
    } finally {
      await warehouse.close();
      await stack.end();
    }
  },
});

async function rate(warehouse: Warehouse): Promise<number> {
  const classes = await warehouse.listCallClasses(WORKSPACE, { range, scopes: findScopes(listPrices) });
  return warehouse.rateCalls(WORKSPACE, {
    table: tabulatePrices(listPrices, classes, range),
    range,
    ratingRunId: "bench",
  });
}

/** `n` is the call's number, `h` a hash of it. */
const VALUES: Readonly<Record<string, string>> = {
  workspace: `'${WORKSPACE}'`,
  call_id: "concat('call_', lower(hex(sipHash128(n))))",
  trace_id: "lower(hex(sipHash128(intDiv(n, 40))))",
  span_id: "lower(hex(sipHash64(n)))",
  at: `fromUnixTimestamp64Nano(toInt64(${fromNs}) + toInt64(h % ${DAYS * 86_400}) * 1000000000, 'UTC')`,
  duration_ns: "toInt64(h % 20000000000)",
  key_id: "concat('key_', toString(h % 5000))",
  key: "concat('agent-', toString(h % 5000))",
  team: "concat('team-', toString(h % 5000 % 12))",
  task: "concat('TICKET-', toString(intDiv(n, 400)))",
  run_id: "lower(hex(sipHash64(intDiv(n, 40))))",
  session_id: "lower(hex(sipHash64(intDiv(n, 40), 's')))",
  provider: "['openai', 'anthropic', 'deepseek', 'google', 'openai', 'anthropic'][1 + h % 6]",
  model: `['gpt-6.1-sol', 'claude-opus-5-5', 'deepseek-v4-pro', 'gemini-3.1-pro-preview', 'gpt-6-luna',
    'claude-sonnet-5-5'][1 + h % 6]`,
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

async function fillCalls(stack: IngestStack, calls: number, say: (text: string) => void): Promise<void> {
  for (let from = 0; from < calls; from += CALLS_PER_INSERT) {
    const count = Math.min(CALLS_PER_INSERT, calls - from);
    await stack.query(
      `INSERT INTO calls (${Object.keys(VALUES).join(", ")})
       SELECT ${Object.values(VALUES).join(", ")}
       FROM (SELECT number AS n, sipHash64(n) AS h FROM numbers(${from}, ${count}))
       SETTINGS max_partitions_per_insert_block = 0`,
    );
    say(`filled ${from + count} calls`);
  }
}

async function countMerges(stack: IngestStack): Promise<number> {
  const [row] = await stack.query<{ merges: string }>("SELECT count() AS merges FROM system.merges FORMAT JSONEachRow");
  return Number(row?.merges ?? 0);
}

async function compare(stack: IngestStack, warehouse: Warehouse): Promise<void> {
  const rows = await stack.query<{ call_id: string }>(
    `SELECT call_id FROM calls LIMIT 1 BY call_id LIMIT ${COMPARED} FORMAT JSONEachRow`,
  );
  const stored = await warehouse.readCalls(
    WORKSPACE,
    rows.map(({ call_id }) => call_id),
  );
  const show = ({ costUsd, lines }: RatedCall): string =>
    [costUsd, ...lines.map((line) => line.costUsd)].map((amount) => amount && formatDecimal(amount)).join();
  for (const call of stored) {
    const expected = show(rateCall(call, listPrices, "bench"));
    if (show(call) !== expected) throw new Error(`call ${call.callId} is ${show(call)}, by itself ${expected}`);
  }
}
