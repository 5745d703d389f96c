/**
 * `bench ingest`: a real store, a real collector and a sender, each a process, on this machine. Counts a span as taken in when
 * it can be queried. Invariants checked, whatever the speed: what was acknowledged is there once.
 */
import { openWarehouse } from "@centspan/warehouse";
import { SPANS_PER_BATCH, traceIdsOf } from "../otlp/span-batch.ts";
import { countBatches } from "../stack/count-batches.ts";
import { type IngestStack, startIngestStack, WORKSPACE } from "../stack/ingest-stack.ts";
import { startProcess } from "../stack/processes.ts";
import { defineBench, readNumber, round } from "./bench.ts";
import { measureEngineLimit } from "./engine-limit.ts";
import { readCpuUs, readRssMb, watchMemory } from "./process-cost.ts";
import type { SendOptions, SendReport } from "./sender.ts";

const PATIENCE_S = 120;
const ENGINE_LIMIT_BATCHES = 4000;
/** Traces of batches that were sent twice, read one by one as people read them. */
const READ_TRACES = 200;
const POLL_MS = 250;

export default defineBench({
  name: "ingest",
  describe: "spans a second from the wire until they can be queried",
  flags: {
    seconds: "how long to send (20)",
    rate: "spans a second on a fixed schedule (as fast as they are taken)",
    connections: "sending side by side (8, with --rate 48)",
  },
  async run(flags, say) {
    const seconds = readNumber("seconds", flags.seconds, 20);
    const rate = flags.rate === undefined ? null : readNumber("rate", flags.rate, 1);
    const connections = readNumber("connections", flags.connections, rate === null ? 8 : 48);
    const stack = await startIngestStack();
    try {
      return await measure(stack, { seconds, rate, connections }, say);
    } finally {
      await stack.end();
    }
  },
});

type Load = Pick<SendOptions, "seconds" | "rate" | "connections">;

async function measure(stack: IngestStack, load: Load, say: (text: string) => void) {
  const pids = { collector: readPid(stack.collector), store: readPid(stack.store) };
  const before = { collector: readCpuUs(pids.collector), store: readCpuUs(pids.store) };
  const memory = watchMemory(pids.collector);
  say(`sending for ${load.seconds} s, ${load.rate === null ? "as fast as taken" : `${load.rate} spans/s`}`);
  const report = await runSender(stack, load, (spans) => say(`${spans} rows can be queried`));
  const course = memory.stop();
  const spans = (report.batches - report.unacknowledged.length) * SPANS_PER_BATCH;
  const atEnd = await countRows(stack);
  say(`sent ${spans} spans; ${atEnd.rows} rows can be queried`);
  const queryableAtMs = await waitUntilQueryable(stack, spans, report.resent.length * SPANS_PER_BATCH, say);
  const cpuUs = {
    collector: readCpuUs(pids.collector) - before.collector,
    store: readCpuUs(pids.store) - before.store,
  };
  say("looking for every span");
  const found = await countBatches(stack, ackedBatches(report));
  const duplicates = await countDuplicates(stack, report.resent);
  const rssAfterMb = readRssMb(pids.collector);
  say("measuring the engine alone");
  await waitForMerges(stack);
  const [{ bytes } = { bytes: 0 }] = await stack.query<{ bytes: number }>(
    "SELECT toFloat64(sum(bytes_on_disk) / sum(rows)) AS bytes FROM system.parts WHERE active AND table = 'spans'",
  );
  const acknowledged = ackedBatches(report).slice(0, ENGINE_LIMIT_BATCHES);
  const limit = await measureEngineLimit(stack, acknowledged);
  const spansPerS = spans / ((queryableAtMs - report.firstSentAtMs) / 1000);
  return {
    spansPerS: Math.round(spansPerS),
    engineLimitSpansPerS: Math.round(limit.spansPerS),
    ratio: round(spansPerS / limit.spansPerS, 3),
    ackP50Ms: round(report.ackP50Ms),
    ackP99Ms: round(report.ackP99Ms),
    ackMaxMs: round(report.ackMaxMs),
    ackedLost: found.lost,
    rejected: report.rejected,
    duplicates,
    rawDuplicateRows: found.rawDuplicates,
    conflicts: found.conflicts,
    rssMb: round(course.maxMb, 1),
    rssStartMb: round(course.startMb, 1),
    rssEndMb: round(course.endMb, 1),
    rssAfterMb: round(rssAfterMb, 1),
    storeRssMb: round(readRssMb(pids.store), 1),
    seconds: load.seconds,
    offeredSpansPerS: load.rate,
    connections: load.connections,
    ackedSpansPerS: Math.round(spans / ((report.lastAckedAtMs - report.firstSentAtMs) / 1000)),
    backlogSpansAtEnd: Math.max(0, spans - atEnd.rows),
    collectorCpuUsPerSpan: round(cpuUs.collector / spans, 3),
    storeCpuUsPerSpan: round(cpuUs.store / spans, 3),
    senderCpuUsPerSpan: round(report.cpuUsPerSpan, 3),
    spans,
    resentSpans: report.resent.length * SPANS_PER_BATCH,
    unacknowledgedBatches: report.unacknowledged.length,
    retries: report.retries,
    bodyBytesPerSpan: Math.round(report.bodyBytes / SPANS_PER_BATCH),
    diskBytesPerRow: Math.round(bytes),
    engineLimitRows: limit.rows,
  };
}

function readPid(part: IngestStack["store"]): number {
  const { pid } = part.running.child;
  if (pid === undefined) throw new Error(`${part.name} has no process`);
  return pid;
}

async function runSender(stack: IngestStack, load: Load, onProgress: (rows: number) => void): Promise<SendReport> {
  const options: SendOptions = { ...load, url: stack.otlpUrl, startedAtMs: Date.now(), patienceS: PATIENCE_S };
  const sender = startProcess(["--import", "tsx", "test/src/bench/sender.ts", JSON.stringify(options)]);
  const progress = setInterval(() => void countRows(stack).then(({ rows }) => onProgress(rows)), 5000);
  const code = await sender.exited.finally(() => clearInterval(progress));
  const last = sender.output().trimEnd().split("\n").at(-1) ?? "";
  if (code !== 0 || !last.startsWith("{")) throw new Error(`the sender ended with ${code}:\n${sender.output()}`);
  return JSON.parse(last);
}

async function countRows(stack: IngestStack): Promise<{ rows: number; latest: string }> {
  const [row] = await stack.query<{ rows: number; latest: string }>(
    "SELECT toFloat64(count()) AS rows, toString(max(received_at)) AS latest FROM spans",
  );
  return row ?? { rows: 0, latest: "" };
}

/**
 * When the last span became visible: nothing more has come since. Merging takes second copies away at any time, so that the
 * number of rows at the end lies between `spans` and `spans + copies`.
 */
async function waitUntilQueryable(
  stack: IngestStack,
  spans: number,
  copies: number,
  say: (text: string) => void,
): Promise<number> {
  const endAtMs = Date.now() + PATIENCE_S * 1000;
  let seen = { latest: "", atMs: 0 };
  for (;;) {
    const { rows, latest } = await countRows(stack);
    const nowMs = Date.now();
    if (latest !== seen.latest) seen = { latest, atMs: nowMs };
    const isQuiet = nowMs - seen.atMs > QUIET_MS;
    if (rows >= spans + copies || (rows >= spans && isQuiet)) return seen.atMs;
    if (nowMs > endAtMs) {
      say(`gave up waiting: ${rows} rows of ${spans} spans`);
      return nowMs;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const QUIET_MS = 3000;

const ackedBatches = (report: SendReport): number[] => {
  const missing = new Set(report.unacknowledged);
  return Array.from({ length: report.batches }, (_, batch) => batch).filter((batch) => !missing.has(batch));
};

/** Spans that a reader sees more than once in traces that were sent twice. */
async function countDuplicates(stack: IngestStack, resent: readonly number[]): Promise<number> {
  const warehouse = openWarehouse({ url: stack.clickhouseUrl });
  try {
    let duplicates = 0;
    for (const traceId of resent.flatMap(traceIdsOf).slice(0, READ_TRACES)) {
      const { spans } = await warehouse.readTrace(WORKSPACE, traceId);
      duplicates += spans.length - new Set(spans.map((span) => span.spanId)).size;
    }
    return duplicates;
  } finally {
    await warehouse.close();
  }
}

/** Work that the run left behind must not slow down what is measured next. */
async function waitForMerges(stack: IngestStack): Promise<void> {
  const endAtMs = Date.now() + PATIENCE_S * 1000;
  while (Date.now() < endAtMs) {
    const [row] = await stack.query<{ merges: number }>("SELECT toUInt32(count()) AS merges FROM system.merges");
    if (row?.merges === 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
