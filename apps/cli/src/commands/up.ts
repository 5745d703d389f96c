/** `centspan up`: the whole stack on this machine, and on first start the demo workload through it. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { CentspanError, createWallClock } from "@centspan/base";
import { type Command, InvalidArgumentError } from "commander";
import { z } from "zod";
import { connectionPath, readConnection, writeConnection } from "../connection.ts";
import { askToImport, describeOffer } from "../local/offer-import.ts";
import { createProgress } from "../progress.ts";
import { type RunningDemo, runDemo, waitUntilRated } from "../stack/demo.ts";
import { ensureKeys, type LocalKeys } from "../stack/keys.ts";
import { planPorts, requireFreePorts } from "../stack/ports.ts";
import { describeServices, describeStores, HOST, planUrls, type StackUrls } from "../stack/services.ts";
import { createSupervisor } from "../stack/supervisor.ts";
import { DEFAULT_WORKSPACE, type OpenStores, openStores } from "../stores.ts";
import { importLocal, LOCAL_WORKSPACE } from "./import-local.ts";

const DEMO_JOB = "demo";
const RATING_PATIENCE_MS = 60_000;

type UpOptions = { data: string; empty: boolean; portBase?: number; timeScale: number };

const readPort = (text: string): number => {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1024 && port <= 65_000) return port;
  throw new InvalidArgumentError("Must be a whole number from 1024 to 65000");
};

const readScale = (text: string): number => {
  const scale = Number(text);
  if (scale > 0 && scale <= 100) return scale;
  throw new InvalidArgumentError("Must be more than 0 and at most 100");
};

export function registerUp(program: Command, defaultData: string): void {
  program
    .command("up")
    .description("start stores, collector, gateway, engine, worker and web on this machine; Ctrl-C stops all")
    .option("--data <dir>", "where everything is kept", defaultData)
    .option("--empty", "don't run the demo workload", false)
    .option(
      "--port-base <n>",
      "use ports n to n+7 instead of the defaults: web, gateway, engine, worker, OTLP, ClickHouse, PostgreSQL, OTLP/gRPC",
      readPort,
    )
    .option("--time-scale <x>", "wall time ÷ model time of the reference engine", readScale, 0.1)
    .action((options: UpOptions) => up({ ...options, data: resolve(options.data) }));
}

async function up(options: UpOptions): Promise<void> {
  const progress = createProgress(process.stdout);
  const ports = planPorts(options.portBase);
  mkdirSync(options.data, { recursive: true, mode: 0o711 });
  await requireFreePorts(ports, HOST);
  const supervisor = createSupervisor(options.data);
  // `on`, not `once`: a second signal must not cut the orderly stop short. `npm start` reaches us by IPC too.
  const interrupted = new Promise<"interrupted">((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve("interrupted"));
    process.once("disconnect", () => resolve("interrupted"));
  });
  const opened: { stores?: OpenStores; demo?: RunningDemo; bringing?: Promise<"ready"> } = {};
  try {
    const bring = async (): Promise<"ready"> => {
      const { urls, keys, stores } = await bringUp(options, supervisor.start, ports, progress);
      opened.stores = stores;
      if (!options.empty)
        await demonstrate(urls, keys, options.data, stores, progress, (demo) => {
          opened.demo = demo;
        });
      printReady(urls, keys, options.data);
      void offerImport(options.data, stores, interrupted);
      return "ready";
    };
    opened.bringing = bring();
    const first = await Promise.race([opened.bringing, supervisor.failure, interrupted]);
    if (first === "ready") await Promise.race([supervisor.failure, interrupted]);
    process.stdout.write("\nStopping …\n");
  } finally {
    // First the agents: they send their last spans to services that must still be there.
    await opened.demo?.stop();
    await supervisor.stop();
    // What start-up was still asking of the stores ends with them, before they are closed here.
    await opened.bringing?.catch(() => {});
    await opened.stores?.close();
  }
  process.exit(0);
}

const storesReady = z.object({ clickhouseUrl: z.string(), databaseUrl: z.string() });

async function bringUp(
  options: UpOptions,
  start: ReturnType<typeof createSupervisor>["start"],
  ports: ReturnType<typeof planPorts>,
  progress: ReturnType<typeof createProgress>,
): Promise<{ urls: StackUrls; keys: LocalKeys; stores: OpenStores }> {
  progress.step("starting the stores");
  const embedded = await start(describeStores(ports, options.data));
  const urls = planUrls(ports, storesReady.parse(embedded.ready));
  const stores = openStores(urls);
  await Promise.all([stores.warehouse.migrate(), stores.control.migrate()]);
  const keys = await ensureKeys(stores.control, readConnection(options.data));
  progress.done("stores (ClickHouse engine and PostgreSQL)");
  progress.step("starting collector, gateway, engine, worker and web");
  await Promise.all(
    describeServices(ports, urls, keys, { dataDir: options.data, timeScale: options.timeScale }).map(start),
  );
  writeConnection(options.data, { ...urls, ...keys });
  progress.done("collector, gateway, engine, worker, web");
  return { urls, keys, stores };
}

async function demonstrate(
  urls: StackUrls,
  keys: LocalKeys,
  dataDir: string,
  stores: OpenStores,
  progress: ReturnType<typeof createProgress>,
  onStarted: (demo: RunningDemo) => void,
): Promise<void> {
  if ((await stores.control.readJob(DEMO_JOB)) !== null) return;
  const api = stores.apiFor(DEFAULT_WORKSPACE);
  const { data: tasks } = await api.outcomesCost({ groupBy: "task" });
  const settled = tasks.filter((row) => row.pending === 0).map((row) => row.group);
  progress.done(
    `demo workload: three teams repair small packages through the real stack; watch it at ${urls.webUrl}${settled.length === 0 ? "" : ` (it was interrupted: ${settled.length} tasks are done)`}`,
  );
  const demo = runDemo(urls, keys, dataDir, settled, ({ done, total, task, status }) => {
    if (process.stdout.isTTY || done % 10 === 0) progress.update(`${done} of ${total} runs · ${task}: tests ${status}`);
  });
  onStarted(demo);
  await demo.finished;
  progress.step("rating what was spent");
  await waitUntilRated(api, RATING_PATIENCE_MS);
  const { total } = await api.outcomesCost({ groupBy: "team" });
  if (total.passed === 0)
    throw new CentspanError("internal", "the demo ended without a passing test; see the logs folder");
  await stores.control.writeJob(DEMO_JOB, createWallClock().nowNs());
  progress.done(
    `demo workload: ${total.passed} of ${total.tasks} tasks passed their tests, ${total.spendUsd} USD (simulated prices), ${total.costPerPassUsd} USD per pass`,
  );
}

const OFFER_JOB = "histories-offered";

/** Once, and beside all else: nothing waits for an answer, and no answer is a no. */
async function offerImport(data: string, { control }: OpenStores, interrupted: Promise<unknown>): Promise<void> {
  try {
    if ((await control.readJob(OFFER_JOB)) !== null) return;
    const offer = await describeOffer();
    if (offer === null) return;
    await control.writeJob(OFFER_JOB, createWallClock().nowNs());
    process.stdout.write(
      `\n${offer}\n  npx centspan import local --dry-run   looks first\n  npx centspan import local             reads them into a workspace of their own\n`,
    );
    const ended = new AbortController();
    void interrupted.then(() => ended.abort());
    if (!(await askToImport("Read them now? [y/N] ", ended.signal))) return;
    await importLocal({
      data,
      workspace: LOCAL_WORKSPACE,
      dryRun: false,
      watch: false,
      redactPaths: false,
      content: false,
      json: false,
    });
  } catch (error) {
    process.stderr.write(`histories were not read: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function printReady(urls: StackUrls, keys: LocalKeys, dataDir: string): void {
  const rows = [
    ["Web", urls.webUrl],
    ["Trace API", `${urls.webUrl}/api/v1   key ${keys.apiKey}`],
    ["Gateway", `${urls.gatewayUrl}/v1   key ${keys.gatewayKey}`],
    ["OTLP/HTTP", urls.otlpUrl],
    ["OTLP/gRPC", urls.otlpGrpcUrl],
    ["Engine", urls.engineUrl],
    ["Addresses and keys", connectionPath(dataDir)],
  ];
  const text = rows.map(([name = "", value]) => `  ${name.padEnd(18)}  ${value}`).join("\n");
  process.stdout.write(`\nCentspan is ready.\n${text}\n\nCtrl-C stops everything.\n`);
}
