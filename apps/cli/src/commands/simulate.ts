/** `centspan simulate`: a recorded trace on a described cluster, under a virtual clock, and what the cache alone could do. */
import { createReadStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  buildCluster,
  chooseCapacities,
  createClosedLoop,
  createOpenLoop,
  type HitRateCurve,
  MOONCAKE_BLOCK_TOKENS,
  parseSimulationConfig,
  readAzure,
  readMooncake,
  readWeka,
  type SimulationConfig,
  simulate,
  type TraceBytes,
  type TraceRequest,
  toAgentSessions,
  toServingRequests,
  traceHitRates,
  type WekaRequest,
  type Workload,
} from "@centspan/serving";
import { drawLineChart } from "@centspan/ui/chart";
import { type Command, Option } from "commander";
import { createProgress } from "../progress.ts";
import { formatSimulation, tabulateCurves } from "../report-simulation.ts";

type SimulateOptions = {
  trace?: string;
  format: "mooncake" | "azure" | "weka";
  concurrent?: string;
  config?: string;
  printConfig: boolean;
  curve?: string;
  capacities?: string;
  json: boolean;
};

const PROGRESS_EVERY = 1_000;
const DEFAULT_SESSIONS = "32";

export function registerSimulate(program: Command): void {
  program
    .command("simulate")
    .description("what a recorded trace would have cost, and how long people had waited, on a cluster you describe")
    .option("--trace <file>", "the trace; gzip is understood")
    .addOption(
      new Option("--format <name>", "format of the trace").choices(["mooncake", "azure", "weka"]).default("mooncake"),
    )
    .option("--concurrent <n>", "agent sessions at a time, for traces of sessions (weka); default: 32")
    .option("--config <file>", "the cluster as JSON; default: what --print-config prints")
    .option("--print-config", "print the whole configuration with its defaults, and do nothing else", false)
    .option("--curve <file>", "write the hit rate by cache capacity as SVG, and add its table")
    .option("--capacities <list>", "blocks to draw the curve at, separated by commas; default: about ten, chosen")
    .option("--json", "print the result as JSON", false)
    .action(runSimulate);
}

async function runSimulate(options: SimulateOptions): Promise<void> {
  const config = readConfig(options.config);
  if (options.printConfig) {
    process.stdout.write(`${JSON.stringify(config, null, 2)}\n`);
    return;
  }
  refuseIdle(options, config);
  const capacities = options.capacities?.split(",").map((word) => parseCount("capacities", word)) ?? null;
  const progress = createProgress(process.stderr);
  const { workload, requests, trace } = await openWorkload(options, config, progress.step);
  const { cluster, price, support } = buildCluster(config);
  const onProgress = (finished: number): void => {
    if (finished % PROGRESS_EVERY === 0) progress.step(drawBar(finished, requests));
  };
  const result = simulate(cluster, workload, { price, support, onProgress });
  progress.done(`${result.requests} requests simulated`);
  const curves = options.curve === undefined ? [] : drawCurve(options.curve, { config, trace, capacities });
  const answer = { config, result, ...(options.curve === undefined ? {} : { curves }) };
  process.stdout.write(
    options.json ? `${JSON.stringify(answer, null, 2)}\n` : `${formatSimulation(result)}${tabulateCurves(curves)}\n`,
  );
}

/** What would have no effect is refused: whoever wrote it expects one. */
function refuseIdle(
  { format, concurrent, curve, capacities }: SimulateOptions,
  { arrivalScale }: SimulationConfig,
): void {
  const refuse = (field: string, message: string): never => {
    throw new CentspanError("invalid_request", message, { field });
  };
  const isClosed = format === "weka";
  if (concurrent !== undefined && !isClosed)
    refuse("concurrent", `--concurrent: a ${format} trace has arrivals of its own and no sessions`);
  if (arrivalScale !== 1 && isClosed)
    refuse("arrivalScale", "arrivalScale: in a trace of sessions requests follow answers; use --concurrent");
  if (curve !== undefined && isClosed)
    refuse("curve", "--curve: a trace of sessions has no order of arrivals that a cache alone could be shown");
  if (capacities !== undefined && curve === undefined) refuse("capacities", "--capacities: only with --curve");
}

/** `trace` holds what a curve can be drawn of: nothing where the format has no order of arrivals of its own. */
type OpenWorkload = { workload: Workload; requests: number; trace: readonly TraceRequest[] };

async function openWorkload(
  { trace: file, format, concurrent }: SimulateOptions,
  config: SimulationConfig,
  say: (text: string) => void,
): Promise<OpenWorkload> {
  if (file === undefined)
    throw new CentspanError("invalid_request", "--trace: name the trace to simulate", { field: "trace" });
  const { blockTokens } = config.engine;
  if (format === "weka") {
    const recorded: WekaRequest[] = await readTrace(file, readWeka, say);
    const sessions = toAgentSessions(recorded, blockTokens);
    const workload = createClosedLoop(sessions, parseCount("concurrent", concurrent ?? DEFAULT_SESSIONS));
    return { workload, requests: recorded.length, trace: [] };
  }
  const trace = await readTrace(file, format === "azure" ? readAzure : readMooncake, say);
  const shape = { traceBlockTokens: MOONCAKE_BLOCK_TOKENS, blockTokens, arrivalScale: config.arrivalScale };
  return { workload: createOpenLoop(toServingRequests(trace, shape)), requests: trace.length, trace };
}

function readConfig(file: string | undefined): SimulationConfig {
  if (file === undefined) return parseSimulationConfig({});
  try {
    return parseSimulationConfig(JSON.parse(readText(file)));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CentspanError("invalid_file", `${file}: not JSON: ${error.message}`);
    if (error instanceof CentspanError && error.code === "invalid_request")
      throw new CentspanError(
        "invalid_request",
        `${file}: ${error.message}`,
        error.field ? { field: error.field } : {},
      );
    throw error;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CentspanError("invalid_file", `${file}: can't be read (${reason})`);
  }
}

function parseCount(option: string, word: string): number {
  const value = Number(word);
  if (Number.isSafeInteger(value) && value > 0) return value;
  const message = `--${option}: ${JSON.stringify(word)} is no whole number above 0`;
  throw new CentspanError("invalid_request", message, { field: option });
}

async function readTrace<T>(
  file: string,
  read: (bytes: TraceBytes) => AsyncGenerator<T>,
  say: (text: string) => void,
): Promise<T[]> {
  if (!existsSync(file)) throw new CentspanError("invalid_file", `${file}: there is no such file`);
  const trace: T[] = [];
  try {
    for await (const request of read(createReadStream(file))) {
      trace.push(request);
      if (trace.length % PROGRESS_EVERY === 0) say(`reading ${file}: ${trace.length} requests`);
    }
  } catch (error) {
    if (!(error instanceof CentspanError)) throw error;
    throw new CentspanError(error.code, `${file}: ${error.message}`, error.field ? { field: error.field } : {});
  }
  if (trace.length === 0) throw new CentspanError("invalid_file", `${file}: holds no request`);
  return trace;
}

const BAR_CELLS = 30;

function drawBar(done: number, all: number): string {
  const full = Math.round((BAR_CELLS * done) / all);
  return `simulating ${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)} ${Math.floor((100 * done) / all)}%`;
}

type Curve = { config: SimulationConfig; trace: readonly TraceRequest[]; capacities: number[] | null };

function drawCurve(file: string, { config, trace, capacities }: Curve): HitRateCurve[] {
  if (trace.every(({ blockKeys }) => blockKeys.length === 0))
    throw new CentspanError("invalid_request", "--curve: this trace has no block hashes", {
      field: "curve",
    });
  const curves = traceHitRates(trace, {
    policies: [findKvPolicy(config.policy)],
    optimum: findKvPolicy("belady"),
    capacities: capacities ?? chooseCapacities(trace),
  });
  const chart = drawLineChart({
    title: "Hit rate by cache capacity",
    xLabel: `blocks of ${MOONCAKE_BLOCK_TOKENS} tokens (logarithmic)`,
    yLabel: "blocks found in the cache",
    series: curves.map(({ policy, points }) => ({
      name: policy,
      points: points.map(({ capacityBlocks, hitRate }) => ({ x: capacityBlocks, y: hitRate })),
    })),
  });
  try {
    writeFileSync(file, chart);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CentspanError("invalid_file", `${file}: can't be written (${reason})`);
  }
  return curves;
}
