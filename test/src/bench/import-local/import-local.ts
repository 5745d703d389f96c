/**
 * `bench import-local`: a generated home through `centspan import local` into real stores, by the processes that a person has
 * running, then the same again. What is in the ledger is compared with what was invented, to the token. Reading alone is
 * measured beside it, since what the worker does with the spans afterwards takes its own time.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Buckets, EMPTY_BUCKETS } from "@centspan/model";
import { openWarehouse } from "@centspan/warehouse";
import { type IngestStack, startIngestStack } from "../../stack/ingest-stack.ts";
import { startProcess } from "../../stack/processes.ts";
import { defineBench, readNumber, round } from "../bench.ts";
import { readCpuUs, watchPeakMb } from "../process-cost.ts";
import { generateHome } from "./generate.ts";
import type { Tally } from "./tally.ts";

const WORKSPACE = "local";
const PATIENCE_MS = 1_200_000;
/** Said as soon as everything that was read is acknowledged and what to go on from is written. */
const ACKNOWLEDGED = /files read, \d+ unchanged/;

export default defineBench({
  name: "import-local",
  describe: "megabytes of agents' histories a second, from the disk until they are acknowledged and in the ledger",
  flags: { mb: "histories to generate, in megabytes (1000)", seed: "of the generator (1)" },
  async run(flags, say) {
    const megabytes = readNumber("mb", flags.mb, 1000);
    const seed = readNumber("seed", flags.seed, 1);
    const home = mkdtempSync(join(tmpdir(), "centspan-home-"));
    try {
      say(`inventing ${megabytes} MB of histories`);
      const tally = generateHome(home, megabytes, seed);
      say(`${tally.files} files, ${tally.sessions} sessions, ${tally.calls} calls that count`);
      const stack = await startIngestStack();
      try {
        return await measure(stack, home, tally, say);
      } finally {
        await stack.end();
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
});

async function measure(stack: IngestStack, home: string, tally: Tally, say: (text: string) => void) {
  const data = writeConnection(stack);
  await stack.worker.start();
  const megabytes = tally.bytes / 1e6;
  const dry = await importOnce(home, data, ["--dry-run"]);
  say(`read in ${dry.seconds} s, nothing kept`);
  const before = readCpu(stack);
  const first = await importOnce(home, data, []);
  const after = readCpu(stack);
  say(`acknowledged after ${first.acknowledgedS} s, in every figure after ${first.seconds} s`);
  const ledger = await sumLedger(stack);
  const rows = await countRows(stack);
  const again = await importOnce(home, data, []);
  const changed = (await countRows(stack)) - rows + Math.abs((await sumLedger(stack)).calls - ledger.calls);
  return {
    mbPerS: round(megabytes / first.acknowledgedS),
    rssMb: round(Math.max(first.peakMb, dry.peakMb), 1),
    rerunS: again.seconds,
    tokenError: errorOf(ledger.buckets, tally),
    callError: Math.abs(ledger.calls - tally.calls),
    rerunChanged: changed,
    readMbPerS: round(megabytes / dry.seconds),
    importS: first.acknowledgedS,
    figuresS: first.seconds,
    storeCpuS: round(after.store - before.store),
    workerCpuS: round(after.worker - before.worker),
    collectorCpuS: round(after.collector - before.collector),
    mb: round(megabytes, 1),
    calls: tally.calls,
    spans: rows,
    sessions: tally.sessions,
    files: tally.files,
  };
}

/** What it took the processes that a person has running anyway, from the disk to every figure. */
function readCpu({ store, worker, collector }: IngestStack): Record<"store" | "worker" | "collector", number> {
  const secondsOf = (part: IngestStack["store"]): number => readCpuUs(part.running.child.pid ?? 0) / 1e6;
  return { store: secondsOf(store), worker: secondsOf(worker), collector: secondsOf(collector) };
}

/** What `centspan` reads of a stack that runs. */
function writeConnection({ dataDir, otlpUrl, webUrl, stores }: IngestStack): string {
  const folder = join(dataDir, "cli");
  mkdirSync(folder);
  const nobody = { gatewayUrl: "", engineUrl: "", apiKey: "", ingestKey: "", gatewayKey: "", teamKeys: {} };
  const urls = { otlpUrl, webUrl, clickhouseUrl: stores.CLICKHOUSE_URL, databaseUrl: stores.DATABASE_URL };
  writeFileSync(join(folder, "connection.json"), JSON.stringify({ ...nobody, ...urls }));
  return folder;
}

type Imported = { seconds: number; acknowledgedS: number; peakMb: number };

async function importOnce(home: string, data: string, options: readonly string[]): Promise<Imported> {
  const startedAtMs = performance.now();
  const seconds = (): number => round((performance.now() - startedAtMs) / 1000);
  const running = startProcess(["apps/cli/dist/main.js", "import", "local", "--data", data, "--json", ...options], {
    HOME: home,
  });
  const peak = watchPeakMb(running.child.pid ?? 0);
  try {
    if (!options.includes("--dry-run")) await running.waitFor(ACKNOWLEDGED, PATIENCE_MS);
    const acknowledgedS = seconds();
    const code = await running.exited;
    if (code !== 0) throw new Error(`the import ended with ${code}:\n${running.output().slice(-4000)}`);
    return { seconds: seconds(), acknowledgedS, peakMb: peak.stop() };
  } finally {
    running.child.kill("SIGTERM");
  }
}

async function sumLedger(stack: IngestStack): Promise<{ calls: number; buckets: Buckets }> {
  const warehouse = openWarehouse({ url: stack.clickhouseUrl });
  try {
    const sums = await warehouse.sumCosts(WORKSPACE, { groupBy: "model", filter: {}, timeZone: "UTC" });
    const buckets: Buckets = { ...EMPTY_BUCKETS };
    for (const sum of sums) {
      buckets.input += sum.buckets.input;
      buckets.cacheRead += sum.buckets.cacheRead;
      buckets.cacheWrite5m += sum.buckets.cacheWrite5m;
      buckets.cacheWrite1h += sum.buckets.cacheWrite1h;
      buckets.outputText += sum.buckets.outputText;
      buckets.outputReasoning += sum.buckets.outputReasoning;
    }
    return { calls: sums.reduce((total, { calls }) => total + calls, 0), buckets };
  } finally {
    await warehouse.close();
  }
}

/** Meter by meter, so that what is too much of one is not made up for by what is missing of another. */
const errorOf = (buckets: Buckets, tally: Tally): number =>
  Math.abs(buckets.input - tally.input) +
  Math.abs(buckets.cacheRead - tally.cacheRead) +
  Math.abs(buckets.cacheWrite5m - tally.cacheWrite5m) +
  Math.abs(buckets.cacheWrite1h - tally.cacheWrite1h) +
  Math.abs(buckets.outputText - tally.outputText) +
  Math.abs(buckets.outputReasoning - tally.outputReasoning);

async function countRows(stack: IngestStack): Promise<number> {
  const [row] = await stack.query<{ spans: number }>(
    "SELECT toFloat64(uniqExact(trace_id, span_id)) AS spans FROM spans FORMAT JSONEachRow",
  );
  return row?.spans ?? 0;
}
