/** `centspan simulate`: a recorded trace on a described cluster, under a virtual clock, and what the cache alone could do. */
import { createReadStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  buildCluster,
  chooseCapacities,
  createOpenLoop,
  type HitRateCurve,
  MOONCAKE_BLOCK_TOKENS,
  parseSimulationConfig,
  readAzure,
  readMooncake,
  type SimulationConfig,
  type SimulationResult,
  simulate,
  type TraceBytes,
  type TraceRequest,
  toServingRequests,
  traceHitRates,
} from "@centspan/serving";
import { drawLineChart } from "@centspan/ui/chart";
import { type Command, Option } from "commander";
import { createProgress } from "../progress.ts";
import { formatSimulation, tabulateCurves } from "../report-simulation.ts";

type SimulateOptions = {
  trace?: string;
  format: keyof typeof READERS;
  config?: string;
  printConfig: boolean;
  curve?: string;
  capacities?: string;
  json: boolean;
};

const READERS: Record<"mooncake" | "azure", (bytes: TraceBytes) => AsyncGenerator<TraceRequest>> = {
  mooncake: readMooncake,
  azure: readAzure,
};
const PROGRESS_EVERY = 1_000;

export function registerSimulate(program: Command): void {
  program
    .command("simulate")
    .description("what a recorded trace would have cost, and how long people had waited, on a cluster you describe")
    .option("--trace <file>", "the trace; gzip is understood")
    .addOption(new Option("--format <name>", "format of the trace").choices(Object.keys(READERS)).default("mooncake"))
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
  if (options.trace === undefined)
    throw new CentspanError("invalid_request", "--trace: name the trace to simulate", { field: "trace" });
  const capacities = parseCapacities(options.capacities);
  const progress = createProgress(process.stderr);
  const trace = await readTrace(options.trace, options.format, (text) => progress.step(text));
  const result = simulateTrace(config, trace, (text) => progress.step(text));
  progress.done(`${trace.length} requests simulated`);
  const curves = options.curve === undefined ? [] : drawCurve(options.curve, { config, trace, capacities });
  const answer = { config, result, ...(options.curve === undefined ? {} : { curves }) };
  process.stdout.write(
    options.json ? `${JSON.stringify(answer, null, 2)}\n` : `${formatSimulation(result)}${tabulateCurves(curves)}\n`,
  );
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

function parseCapacities(list: string | undefined): number[] | null {
  if (list === undefined) return null;
  return list.split(",").map((word) => {
    const blocks = Number(word);
    if (Number.isSafeInteger(blocks) && blocks > 0) return blocks;
    const message = `--capacities: ${JSON.stringify(word)} is no whole number of blocks above 0`;
    throw new CentspanError("invalid_request", message, { field: "capacities" });
  });
}

async function readTrace(
  file: string,
  format: SimulateOptions["format"],
  say: (text: string) => void,
): Promise<TraceRequest[]> {
  if (!existsSync(file)) throw new CentspanError("invalid_file", `${file}: there is no such file`);
  const trace: TraceRequest[] = [];
  try {
    for await (const request of READERS[format](createReadStream(file))) {
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

function simulateTrace(
  config: SimulationConfig,
  trace: readonly TraceRequest[],
  say: (text: string) => void,
): SimulationResult {
  const { cluster, price } = buildCluster(config);
  const shape = {
    traceBlockTokens: MOONCAKE_BLOCK_TOKENS,
    blockTokens: config.engine.blockTokens,
    arrivalScale: config.arrivalScale,
  };
  const requests = toServingRequests(trace, shape);
  const onProgress = (finished: number): void => {
    if (finished % PROGRESS_EVERY === 0) say(drawBar(finished, requests.length));
  };
  return simulate(cluster, createOpenLoop(requests), { price, onProgress });
}

const BAR_CELLS = 30;

function drawBar(done: number, all: number): string {
  const full = Math.round((BAR_CELLS * done) / all);
  return `simulating ${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)} ${Math.floor((100 * done) / all)}%`;
}

type Curve = { config: SimulationConfig; trace: readonly TraceRequest[]; capacities: number[] | null };

function drawCurve(file: string, { config, trace, capacities }: Curve): HitRateCurve[] {
  if (trace.every(({ blockKeys }) => blockKeys.length === 0))
    throw new CentspanError("invalid_request", "--curve: this trace has no block hashes", { field: "curve" });
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
