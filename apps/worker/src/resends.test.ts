/**
 * Retries and replays on the real store: a made-up day of an agent, delivered in random batches of which many come again,
 * whole or in other company, and some with other content under the same ids. Whatever comes, and whenever the worker
 * looks or starts anew, the calls are those of the first delivery, each once.
 */
import { randomBytes } from "node:crypto";
import { createRandom, type Random } from "@centspan/base";
import { listPrices } from "@centspan/pricing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createRatingState, runRatingPass } from "./rating-pass.ts";
import { NOTHING_UNRATED } from "./testing/nothing-unrated.ts";
import { type Export, sendExports } from "./testing/send-exports.ts";

const ROUNDS = 6;
const CALLS = 40;
const DAY_NS = 1_790_000_000_000_000_000n;

type Attributes = Record<string, string>;
/** What is known of a call: its tokens, and the records that tell of it, the decisive one first. */
type Made = { input: number; output: number; records: Export[] };

let warehouse: Warehouse;
beforeAll(async () => {
  const address = new URL(inject("clickhouseUrl"));
  address.pathname = `/resends_${randomBytes(8).toString("hex")}`;
  warehouse = openWarehouse({ url: address.href });
  await warehouse.migrate();
});
afterAll(() => warehouse.close());

it.each([1, 2])("records sent again, seed %i, change no number", async (seed) => {
  const [workspace, random] = [`seed ${seed}`, createRandom(seed)];
  const calls = Array.from({ length: CALLS }, (_, n) => makeCall(n, random));
  const sent: Export[] = [];
  let waiting = shuffle(
    calls.flatMap(({ records }) => records),
    random,
  );
  let state = createRatingState();
  let seenNs = 0n;
  for (let round = 0; round < ROUNDS; round += 1) {
    const fresh = waiting.slice(0, round === ROUNDS - 1 ? waiting.length : random.integer(waiting.length));
    waiting = waiting.slice(fresh.length);
    const again = sent.filter(() => random.next() < 0.3);
    // Other content arrives after the first: only then is there a first to keep.
    const others = sent.filter(({ signal }) => signal === "traces" && random.next() < 0.1).map(changeContent);
    const repeated = random.next() < 0.5 ? again : putTogether(again);
    await sendExports(warehouse, [...fresh, ...repeated].map(inWorkspace(workspace)));
    await sendExports(warehouse, others.map(inWorkspace(workspace)));
    sent.push(...fresh);
    if (random.next() < 0.5) state = createRatingState();
    seenNs = await rate(state, seenNs);
  }
  const { data } = await warehouse.listCalls(workspace, {}, { limit: 1000, cursor: null });
  const counts = data.map(({ buckets }) => `${buckets.input} ${buckets.outputText}`).sort();
  expect(counts).toEqual(calls.map(({ input, output }) => `${input} ${output}`).sort());
});

const inWorkspace = (workspace: string) => (each: Export) => ({ workspace, each });

async function rate(state: ReturnType<typeof createRatingState>, sinceNs: bigint): Promise<bigint> {
  const { asOfNs } = await warehouse.listChangedUsage(2n ** 62n);
  const jobs = { readJob: async () => ({ watermarkNs: sinceNs, updatedAt: new Date(0) }), writeJob: async () => {} };
  const feed = { ...warehouse, listChangedUsage: () => warehouse.listChangedUsage(sinceNs) };
  // Kept for ever.
  const policies = { listRetention: async () => [] };
  const rules = { readPrices: async () => ({ book: listPrices, ratingRunId: "run" }) };
  const { faults } = await runRatingPass(
    { feed, ledger: warehouse, jobs, policies, unrated: NOTHING_UNRATED },
    state,
    rules,
  );
  expect(faults).toEqual([]);
  return asOfNs;
}

/** A span alone, a record alone, or both, joined by ids or by time; with a parent that sums up, or without. */
function makeCall(n: number, random: Random): Made {
  const [input, output] = [1 + random.integer(90), 1 + random.integer(90)];
  const [traceId, spanId] = [hex(n + 1, 32), hex(n + 1, 16)];
  const endNs = DAY_NS + BigInt(n) * 2_000_000_000n;
  const usage = { "gen_ai.usage.input_tokens": `${input}`, "gen_ai.usage.output_tokens": `${output}` };
  const codex = { "conversation.id": "c", "codex.usage.total_tokens": `${input + output}`, ...usage };
  const claude = { "gen_ai.response.id": `msg_a${n}`, "gen_ai.operation.name": "chat", ...usage };
  const completed = { "event.name": "codex.sse_event", "event.kind": "response.completed", "conversation.id": "c" };
  const counts = { input_token_count: `${input}`, output_token_count: `${output}` };
  const request = { "event.name": "api_request", input_tokens: `${input}`, output_tokens: `${output}` };
  const ids = { traceId, spanId };
  const kinds: (() => Export[])[] = [
    () => [makeSpan(ids, endNs, codex)],
    () => [makeSpan(ids, endNs, codex), makeLog({}, endNs + 1_000_000n, { ...completed, ...counts })],
    () => [makeLog({}, endNs, { ...completed, ...counts })],
    () => [makeSpan(ids, endNs, claude), makeLog({}, endNs, { ...request, request_id: `msg_a${n}` })],
    () => [makeLog(ids, endNs, { ...request, request_id: `req_a${n}` })],
    () => [
      makeSpan({ ...ids, parentSpanId: hex(n + 5000, 16) }, endNs, claude),
      makeSpan({ traceId, spanId: hex(n + 5000, 16) }, endNs, { ...usage, "gen_ai.operation.name": "invoke_agent" }),
    ],
  ];
  return { input, output, records: kinds[random.integer(kinds.length)]?.() ?? [] };
}

const hex = (n: number, length: number): string => n.toString(16).padStart(length, "0");

const write = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));

function makeSpan(ids: Attributes, endNs: bigint, attributes: Attributes): Export {
  const times = { startTimeUnixNano: `${endNs - 1_000_000_000n}`, endTimeUnixNano: `${endNs}` };
  const spans = [{ name: "chat", ...ids, ...times, attributes: write(attributes) }];
  return { signal: "traces", otlp: { resourceSpans: [{ scopeSpans: [{ spans }] }] } };
}

function makeLog(ids: Attributes, atNs: bigint, attributes: Attributes): Export {
  const logRecords = [{ timeUnixNano: `${atNs}`, ...ids, attributes: write(attributes) }];
  return { signal: "logs", otlp: { resourceLogs: [{ scopeLogs: [{ logRecords }] }] } };
}

/** As one request for each signal. */
function putTogether(exports: readonly Export[]): Export[] {
  const lists = { traces: "resourceSpans", logs: "resourceLogs" } as const;
  return (["traces", "logs"] as const).map((signal) => ({
    signal,
    otlp: {
      [lists[signal]]: exports.filter((each) => each.signal === signal).flatMap((each) => each.otlp[lists[signal]]),
    },
  }));
}

/** The same span with more tokens. */
function changeContent({ signal, otlp }: Export): Export {
  const text = JSON.stringify(otlp).replaceAll(/("gen_ai\.usage\.\w+","value":\{"stringValue":")/g, "$19");
  return { signal, otlp: JSON.parse(text) };
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(random.integer(rest.length), 1));
}
