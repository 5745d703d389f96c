import type { CallRow, CostRow, TraceDetail } from "@centspan/model";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRandom } from "../otlp/scramble.ts";
import { type ApiReader, createApiReader } from "../stack/api-reader.ts";
import { type IngestStack, startIngestStack } from "../stack/ingest-stack.ts";
import { until } from "../stack/processes.ts";
import { killInTurn } from "./kill.ts";
import { type SentSpan, startLoad } from "./load.ts";

const KILLS = 20;
const SENDERS = 4;
const SETTLE_MS = 60_000;
const seed = Number(process.env.CENTSPAN_CHAOS_SEED ?? Math.trunc(Math.random() * 1e6));

let stack: IngestStack;
let api: ApiReader;
beforeAll(async () => {
  stack = await startIngestStack();
  await Promise.all([stack.worker.start(), stack.web.start()]);
  api = createApiReader(stack.webUrl, await stack.createKey("reader", "api"));
});
afterAll(() => stack?.end());

const say = (text: string): void => void process.stderr.write(`chaos (CENTSPAN_CHAOS_SEED=${seed}): ${text}\n`);

it("keeps every acknowledged span once, and counts each call once, however often collector and store are killed", async () => {
  const load = startLoad({ otlpUrl: stack.otlpUrl, senders: SENDERS, seed, patienceMs: SETTLE_MS });
  const killed = await killInTurn({
    parts: [stack.collector, stack.store],
    kills: KILLS,
    random: createRandom(seed),
    progress: load.tries,
    say,
  });
  expect(killed).toBeGreaterThanOrEqual(KILLS);
  const sent = await load.finish();
  const acked = sent.filter((span) => span.fate === "acked");
  say(`${sent.length} spans, ${acked.length} acknowledged`);
  expect(acked.length).toBeGreaterThan(sent.length / 2);

  const found = await until(
    "every acknowledged span is found",
    async () => {
      const ids = await readSpanIds(sent);
      const known = new Set(ids);
      return acked.every((span) => known.has(keyOf(span))) ? ids : undefined;
    },
    SETTLE_MS,
  );
  const stored = new Set(found);
  expect(found.length, "spans that readers see more than once").toBe(stored.size);
  const mayBeThere = new Set(sent.filter((span) => span.fate !== "broken off").map(keyOf));
  expect(
    found.filter((id) => !mayBeThere.has(id)),
    "spans that were never sent whole",
  ).toEqual([]);
  await expectExactCosts(sent.filter((span) => stored.has(keyOf(span))));
}, 240_000);

const keyOf = ({ traceId, spanId }: { traceId: string; spanId: string }): string => `${traceId}/${spanId}`;

async function readSpanIds(sent: readonly SentSpan[]): Promise<string[]> {
  const found: string[] = [];
  for (const traceId of new Set(sent.map((span) => span.traceId))) {
    const { status, body } = await api.get<TraceDetail>(`/traces/${traceId}`);
    if (status === 404) continue;
    if (status !== 200) throw new Error(`trace ${traceId}: ${status} ${JSON.stringify(body)}`);
    found.push(...body.spans.map(keyOf));
  }
  return found;
}

/** Once everything is rated, calls and tokens are those of the stored spans, one call a span. */
async function expectExactCosts(stored: readonly SentSpan[]): Promise<void> {
  const calls = stored.filter((span) => span.inputTokens > 0);
  const sum = (of: (span: SentSpan) => number): number => calls.reduce((total, span) => total + of(span), 0);
  const askedAt = new Date().toISOString();
  await until(
    "the worker has rated all",
    async () => {
      const { ratedThrough } = await api.getOk<{ ratedThrough: string | null }>("/health");
      return ratedThrough !== null && ratedThrough > askedAt ? true : undefined;
    },
    SETTLE_MS,
  );
  const { data } = await api.getOk<{ data: CostRow[] }>("/cost?groupBy=model");
  expect(
    data.map(({ group, calls: count, buckets }) => ({
      group,
      calls: count,
      input: buckets.input,
      output: buckets.outputText,
    })),
  ).toEqual([
    {
      group: "gpt-4o",
      calls: calls.length,
      input: sum((span) => span.inputTokens),
      output: sum((span) => span.outputTokens),
    },
  ]);
  const rows = await api.listAll<CallRow>("/calls", 1000);
  const spanOfCall = new Map(rows.map((row) => [keyOf(row), row.buckets.input]));
  expect(rows.length, "calls that are listed more than once").toBe(spanOfCall.size);
  expect(
    calls.filter((span) => spanOfCall.get(keyOf(span)) !== span.inputTokens),
    "spans without their call",
  ).toEqual([]);
}
