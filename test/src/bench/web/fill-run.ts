/**
 * A long agent run made in the store itself, whatever its size: one root, and turns of fifty spans each in all three layers,
 * with the steps of the engine among them. Its calls are filled with the others: `callsOfRuns` says where they belong.
 */
import { type IngestStack, WORKSPACE } from "../../stack/ingest-stack.ts";
import type { CallValues } from "../fill-calls.ts";

/** Of one turn: name, layer, the parent's place in the turn (-1: the root), and when it starts and ends, in milliseconds. */
type Place = readonly [name: string, layer: string, parent: number, fromMs: number, toMs: number];

const HEAD: readonly Place[] = [
  ["loop.turn", "harness", -1, 0, 9_900],
  ["context.build", "harness", 0, 1, 12],
  ["POST /v1/responses", "api", 0, 15, 4_000],
  ["api.parse", "api", 2, 16, 18],
  ["api.tokenize", "api", 2, 18, 60],
  ["api.safety", "api", 2, 20, 800],
  ["api.route", "api", 2, 60, 62],
  ["chat scripted-strong", "api", 2, 64, 3_990],
  ["inference.queue", "inference", 7, 65, 90],
  ["inference.kv.lookup", "inference", 7, 90, 92],
  ["inference.prefill", "inference", 7, 92, 700],
  ["inference.decode", "inference", 7, 700, 3_980],
];
const TAIL: readonly Place[] = [
  ["execute_tool read_file", "harness", 0, 4_010, 4_100],
  ["execute_tool read_file", "harness", 0, 4_012, 4_180],
  ["execute_tool run_tests", "harness", 0, 4_200, 9_800],
];
const STEPS = 50 - HEAD.length - TAIL.length;
const TURN: readonly Place[] = [
  ...HEAD,
  ...Array.from(
    { length: STEPS },
    (_, step): Place => ["inference.decode.step", "inference", 11, 700 + step * 93, 790 + step * 93],
  ),
  ...TAIL,
];
const CALL_PLACE = 7;
const TURN_MS = 10_000;

export type FilledRun = { traceId: string; spans: number };

const turnsOf = ({ spans }: FilledRun): number => Math.ceil((spans - 1) / TURN.length);

const quote = (texts: readonly string[]): string => `[${texts.map((text) => `'${text}'`).join(", ")}]`;
const idOf = (traceId: string, number: string): string =>
  `lower(hex(reinterpretAsFixedString(sipHash64('${traceId}', toUInt64(${number})))))`;

export async function fillRun(stack: IngestStack, run: FilledRun): Promise<void> {
  const { traceId, spans } = run;
  const startNs = BigInt(Date.now() - 7 * 3_600_000) * 1_000_000n;
  const pick = (values: readonly (string | number)[]): string => `[${values.join(", ")}][p]`;
  const at = (ms: string): string =>
    `fromUnixTimestamp64Nano(${startNs} + toInt64(turn * ${TURN_MS} + ${ms}) * 1000000)`;
  const values: Record<string, string> = {
    workspace: `'${WORKSPACE}'`,
    trace_id: `'${traceId}'`,
    span_id: idOf(traceId, "k"),
    parent_span_id: `multiIf(k = 0, '', parent < 0, ${idOf(traceId, "0")}, ${idOf(traceId, `1 + turn * ${TURN.length} + parent`)})`,
    flags: "257",
    name: `if(k = 0, 'invoke_agent repair', ${quote(TURN.map(([name]) => name))}[p])`,
    kind: "'internal'",
    service: "if(k = 0, 'repair-agent', ['repair-agent', 'gateway', 'engine'][l])",
    started_at: at(`if(k = 0, 0, ${pick(TURN.map((place) => place[3]))})`),
    ended_at: `if(k = 0, ${at(`${(turnsOf(run) + 1) * TURN_MS}`)}, ${at(pick(TURN.map((place) => place[4])))})`,
    status: "if(h % 200 = 0, 'error', 'ok')",
    attributes: `map('centspan.layer', own_layer, 'centspan.turn.number', toString(turn + 1),
      'gen_ai.request.model', 'scripted-strong', 'gen_ai.response.id', concat('response_', hex(h)),
      'http.request.id', hex(sipHash64(h)), 'centspan.decode.tokens', '1', 'centspan.step.batch_size', toString(h % 64))`,
    resource_attributes: "map('service.name', 'engine', 'host.name', concat('node-', toString(l)))",
    scope_name: "'agent'",
    layer: "own_layer",
    team: "'payments'",
    model: "'scripted-strong'",
    task: "'TICKET-1'",
    session_id: "'session-1'",
  };
  const layers = ["harness", "api", "inference"];
  await stack.query(
    `INSERT INTO spans (${Object.keys(values).join(", ")})
     WITH toUInt8(1 + (k - 1) % ${TURN.length}) AS p, intDiv(k - 1, ${TURN.length}) AS turn,
       if(k = 0, 1, ${pick(TURN.map((place) => 1 + layers.indexOf(place[1])))}) AS l,
       ${quote(layers)}[l] AS own_layer, toInt64(${pick(TURN.map((place) => place[2]))}) AS parent
     SELECT ${Object.values(values).join(", ")}
     FROM (SELECT toInt64(number) AS k, sipHash64(number) AS h FROM numbers(${spans}))`,
  );
}

/** Columns of the first calls, so that they are the runs' own: one for each turn. */
export function callsOfRuns(runs: readonly FilledRun[]): CallValues {
  const traces: string[] = [];
  const spans: string[] = [];
  let from = 0;
  for (const run of runs) {
    const until = from + turnsOf(run);
    const first = 1 + CALL_PLACE;
    traces.push(`n < ${until}, '${run.traceId}'`);
    spans.push(`n < ${until}, ${idOf(run.traceId, `${first} + (n - ${from}) * ${TURN.length}`)}`);
    from = until;
  }
  return {
    trace_id: `multiIf(${traces.join(", ")}, lower(hex(sipHash128(intDiv(n, 40)))))`,
    span_id: `multiIf(${spans.join(", ")}, lower(hex(sipHash64(n))))`,
  };
}
