/**
 * Fills `spans` with realistic rows that the server makes itself, a hundred times faster than they could be sent. Columns that
 * the server computes are left to it, as they are when a collector inserts.
 */
import { type IngestStack, WORKSPACE } from "../stack/ingest-stack.ts";

const SPANS_PER_TRACE = 40;
const ROWS_PER_INSERT = 1_000_000;
const INSERTS_SIDE_BY_SIDE = 2;

/** `n` is the row's number, `t` its trace's, `k` its place in the trace, `h` a hash of `n`. */
const VALUES: Record<string, string> = {
  workspace: `'${WORKSPACE}'`,
  trace_id: "lower(hex(sipHash128(t)))",
  span_id: "lower(hex(reinterpretAsFixedString(h)))",
  parent_span_id: "if(k = 0, '', lower(hex(reinterpretAsFixedString(sipHash64(n - k)))))",
  flags: "257",
  name: "['invoke_agent repair', 'chat scripted-strong', 'execute_tool run_tests', 'inference.decode'][if(k = 0, 1, 2 + h % 3)]",
  kind: "if(k % 3 = 1, 'client', 'internal')",
  service: "['repair-agent', 'gateway', 'engine'][1 + h % 3]",
  started_at: "fromUnixTimestamp64Nano(startNs + toInt64(t * 1000000 + k * 20000))",
  ended_at: "fromUnixTimestamp64Nano(startNs + toInt64(t * 1000000 + k * 20000 + 15000))",
  status: "if(h % 50 = 0, 'error', 'ok')",
  attributes: `map('gen_ai.request.model', 'scripted-strong', 'gen_ai.conversation.id', concat('conversation-', toString(t)),
    'gen_ai.response.id', concat('response_', hex(h)), 'http.request.id', hex(sipHash64(h)), 'server.port', '4000',
    'centspan.layer', 'inference', 'centspan.task.id', concat('TICKET-', toString(t % 400)), 'centspan.decode.tokens', '1',
    'centspan.decode.batch_size', toString(h % 64), 'centspan.kv.blocks', toString(h % 4096))`,
  resource_attributes: "map('service.name', 'engine', 'host.name', concat('node-', toString(t % 16)))",
  scope_name: "'agent'",
  layer: "'inference'",
  team: "['payments', 'search', 'platform'][1 + t % 3]",
  model: "'scripted-strong'",
  task: "concat('TICKET-', toString(t % 400))",
  session_id: "concat('conversation-', toString(t))",
};

export async function fillSpans(stack: IngestStack, rows: number, say: (text: string) => void): Promise<void> {
  const names = Object.keys(VALUES);
  const values = names.map((name) => VALUES[name]).join(", ");
  const startNs = BigInt(Date.now() - 3_600_000) * 1_000_000n;
  let next = 0;
  const insert = async (): Promise<void> => {
    while (next < rows) {
      const from = next;
      const count = Math.min(ROWS_PER_INSERT, rows - from);
      next += count;
      await stack.query(
        `INSERT INTO spans (${names.join(", ")})
         WITH toInt64(${startNs}) AS startNs
         SELECT ${values} FROM (
           SELECT number AS n, intDiv(n, ${SPANS_PER_TRACE}) AS t, n % ${SPANS_PER_TRACE} AS k, sipHash64(n) AS h
           FROM numbers(${from}, ${count})
         )
         SETTINGS max_insert_threads = 1, max_threads = 1, min_insert_block_size_rows = ${ROWS_PER_INSERT},
           min_insert_block_size_bytes = 0, optimize_on_insert = 0`,
      );
      if (from % (ROWS_PER_INSERT * 5) === 0) say(`filled ${from + count} spans`);
    }
  };
  await Promise.all(Array.from({ length: INSERTS_SIDE_BY_SIDE }, insert));
}
