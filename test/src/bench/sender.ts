/**
 * The sending side of `bench ingest`, a process of its own: pre-encoded batches over keep-alive connections, as fast as they
 * are taken or on a schedule. It sends one batch in a hundred twice, and retries as OTLP exporters do, with the same bytes.
 * Must not: give a batch up before its deadline. Its last line is a `SendReport`.
 */
import { Client } from "undici";
import { deliver } from "../otlp/exporter.ts";
import { createBatchWriter, SPANS_PER_BATCH } from "../otlp/span-batch.ts";

export type SendOptions = {
  url: string;
  seconds: number;
  /** Spans a second on a fixed schedule; null sends the next batch when one is answered. */
  rate: number | null;
  connections: number;
  startedAtMs: number;
  /** How long what was begun may be retried after the time is up. */
  patienceS: number;
};

export type SendReport = {
  batches: number;
  /** Batches never acknowledged. */
  unacknowledged: number[];
  /** Batches that were sent and acknowledged a second time. */
  resent: number[];
  retries: number;
  /** Exports of which records were refused. */
  rejected: number;
  ackP50Ms: number;
  ackP99Ms: number;
  ackMaxMs: number;
  firstSentAtMs: number;
  lastAckedAtMs: number;
  cpuUsPerSpan: number;
  bodyBytes: number;
};

const RESEND_EVERY = 100;
/** So much later, in batches, the second copy goes out. */
const RESEND_AFTER = 40;
const BACKOFF_MS = 1000;

type Export = { batch: number; dueAtMs: number; again: boolean };

async function send(options: SendOptions): Promise<SendReport> {
  // Encoding the templates must not count.
  createBatchWriter(0n);
  const beganAtMs = performance.now();
  const startedAtNs = BigInt(options.startedAtMs) * 1_000_000n;
  const endAtMs = beganAtMs + options.seconds * 1000;
  const intervalMs = options.rate === null ? 0 : (SPANS_PER_BATCH / options.rate) * 1000;
  const acked = new Set<number>();
  const resent: number[] = [];
  const waiting: number[] = [];
  const latenciesMs: number[] = [];
  const totals = { exports: 0, batches: 0, retries: 0, rejected: 0, lastAckedAtMs: 0 };
  const nextExport = (): Export | null => {
    const dueAtMs = options.rate === null ? performance.now() : beganAtMs + totals.exports * intervalMs;
    const isOver = dueAtMs >= endAtMs;
    const old = waiting[0];
    if (old !== undefined && (isOver || totals.batches - old >= RESEND_AFTER)) {
      waiting.shift();
      totals.exports += 1;
      return { batch: old, dueAtMs, again: true };
    }
    if (isOver) return null;
    totals.exports += 1;
    return { batch: totals.batches++, dueAtMs, again: false };
  };
  const connection = async (): Promise<void> => {
    const client = new Client(options.url, { pipelining: 1 });
    const writer = createBatchWriter(startedAtNs);
    for (let item = nextExport(); item !== null; item = nextExport()) {
      const bytes = writer.write(item.batch);
      await waitUntil(item.dueAtMs);
      const deadlineMs = endAtMs + options.patienceS * 1000;
      const { taken, retries, partial } = await deliver(
        client,
        { path: "/v1/traces", body: bytes },
        { backoffMs: BACKOFF_MS, mayRetry: () => performance.now() < deadlineMs },
      );
      totals.retries += retries;
      if (partial.length > 0) totals.rejected += 1;
      if (!taken) continue;
      const nowMs = performance.now();
      latenciesMs.push(nowMs - item.dueAtMs);
      totals.lastAckedAtMs = nowMs;
      if (item.again) resent.push(item.batch);
      else {
        acked.add(item.batch);
        if (item.batch % RESEND_EVERY === 0) waiting.push(item.batch);
      }
    }
    await client.close();
  };
  const beforeUs = cpuUs();
  await Promise.all(Array.from({ length: options.connections }, connection));
  latenciesMs.sort((a, b) => a - b);
  const quantile = (part: number): number =>
    latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * part))] ?? 0;
  return {
    batches: totals.batches,
    unacknowledged: Array.from({ length: totals.batches }, (_, batch) => batch).filter((batch) => !acked.has(batch)),
    resent,
    retries: totals.retries,
    rejected: totals.rejected,
    ackP50Ms: quantile(0.5),
    ackP99Ms: quantile(0.99),
    ackMaxMs: quantile(1),
    firstSentAtMs: performance.timeOrigin + beganAtMs,
    lastAckedAtMs: performance.timeOrigin + totals.lastAckedAtMs,
    cpuUsPerSpan: (cpuUs() - beforeUs) / (totals.exports * SPANS_PER_BATCH),
    bodyBytes: createBatchWriter(startedAtNs).write(0).length,
  };
}

const cpuUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const waitUntil = (atMs: number): Promise<void> =>
  new Promise((resolve) => {
    const leftMs = atMs - performance.now();
    if (leftMs <= 0) resolve();
    else setTimeout(resolve, leftMs);
  });

console.log(JSON.stringify(await send(JSON.parse(process.argv[2] ?? ""))));
