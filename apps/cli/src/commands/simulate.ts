/** `centspan simulate`: a recorded trace or calls on a described cluster, under a virtual clock, and what a cache could do. */
import { CentspanError } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  buildCluster,
  chooseCapacities,
  createClosedLoop,
  createOpenLoop,
  type HitRateCurve,
  MOONCAKE_BLOCK_TOKENS,
  type RecordedCalls,
  readAzure,
  readMooncake,
  readWeka,
  type SimulationConfig,
  simulate,
  type TraceRequest,
  toAgentSessions,
  toServingRequests,
  toTraceRequests,
  traceHitRates,
  WEKA_BLOCK_TOKENS,
  type WekaRequest,
  type Workload,
  writeMooncake,
} from "@centspan/serving";
import { drawLineChart } from "@centspan/ui/chart";
import { type Command, Option } from "commander";
import { createProgress } from "../progress.ts";
import { type CallsQuery, readRecordedCalls } from "../read-recorded-calls.ts";
import { parseCount, readConfig, readTrace, writeText } from "../read-workload.ts";
import { formatSimulation, tabulateCurves, type WorkloadFacts } from "../report-simulation.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type SimulateOptions = CallsQuery & {
  trace?: string;
  calls: boolean;
  format: "mooncake" | "azure" | "weka";
  concurrent?: string;
  config?: string;
  printConfig: boolean;
  curve?: string;
  capacities?: string;
  share?: string;
  json: boolean;
};

const PROGRESS_EVERY = 1_000;
const DEFAULT_SESSIONS = "32";
/** What choose calls, and what a trace: neither says anything about the other. */
const CALLS_OPTIONS = ["from", "to", "key", "model", "workspace", "data"];
const TRACE_OPTIONS = ["trace", "format"];

export function registerSimulate(program: Command, defaultData: string): void {
  const command = program
    .command("simulate")
    .description("what recorded requests would have cost, and how long people had waited, on a cluster you describe")
    .option("--trace <file>", "the trace; gzip is understood")
    .option("--calls", "the calls of a workspace instead of a trace", false)
    .option("--from <time>", "calls of this time (ISO 8601) and later; default: all")
    .option("--to <time>", "calls before this time; default: all")
    .option("--key <name>", "calls of this key")
    .option("--model <id>", "calls of this model")
    .addOption(
      new Option("--format <name>", "format of the trace").choices(["mooncake", "azure", "weka"]).default("mooncake"),
    )
    .option(
      "--concurrent <n>",
      "sessions at a time: for weka (default: 32), and for --calls, which else come when they came",
    )
    .option("--config <file>", "the cluster as JSON; default: what --print-config prints")
    .option("--print-config", "print the whole configuration with its defaults, and do nothing else", false)
    .option("--curve <file>", "write the hit rate by cache capacity as SVG, and add its table")
    .option("--capacities <list>", "blocks to draw the curve at, separated by commas; default: about ten, chosen")
    .option("--share <file>", "write the workload in Mooncake's format, with numbered blocks and nothing that was said")
    .option("--json", "print the result as JSON", false)
    .action(runSimulate);
  addWorkspaceOptions(command, defaultData);
}

async function runSimulate(options: SimulateOptions, command: Command): Promise<void> {
  const config = readConfig(options.config);
  if (options.printConfig) {
    process.stdout.write(`${JSON.stringify(config, null, 2)}\n`);
    return;
  }
  refuseOthers(options, command);
  refuseIdle(options, config);
  const capacities = options.capacities?.split(",").map((word) => parseCount("capacities", word)) ?? null;
  const progress = createProgress(process.stderr);
  const opened = await openWorkload(options, config, progress.step);
  const { workload, requests, facts } = opened;
  const { cluster, price, support } = buildCluster(config);
  const onProgress = (finished: number): void => {
    if (finished % PROGRESS_EVERY === 0) progress.step(drawBar(finished, requests));
  };
  const result = simulate(cluster, workload, { price, support, onProgress });
  progress.done(`${result.requests} requests simulated`);
  if (options.share !== undefined) shareWorkload(options.share, opened);
  const curves = options.curve === undefined ? [] : drawCurve(options.curve, { ...opened, config, capacities });
  const answer = { config, workload: facts, result, ...(options.curve === undefined ? {} : { curves }) };
  const text = options.json
    ? JSON.stringify(answer, null, 2)
    : `${formatSimulation(result, facts)}${tabulateCurves(curves)}`;
  process.stdout.write(`${text}\n`);
}

/** An option of the kind of workload that is not meant. */
function refuseOthers({ calls }: SimulateOptions, command: Command): void {
  const isGiven = (option: string): boolean => command.getOptionValueSource(option) === "cli";
  const other = (calls ? TRACE_OPTIONS : CALLS_OPTIONS).find(isGiven);
  if (other === undefined) return;
  const message = calls ? `--${other}: not with --calls` : `--${other}: only with --calls`;
  throw new CentspanError("invalid_request", message, { field: other });
}

/** What would have no effect is refused: whoever wrote it expects one. */
function refuseIdle(
  { calls, format, concurrent, curve, capacities, share }: SimulateOptions,
  { arrivalScale }: SimulationConfig,
): void {
  const refuse = (field: string, message: string): never => {
    throw new CentspanError("invalid_request", message, { field });
  };
  const isClosed = calls ? concurrent !== undefined : format === "weka";
  if (concurrent !== undefined && !isClosed)
    refuse("concurrent", `--concurrent: a ${format} trace has arrivals of its own and no sessions`);
  if (arrivalScale !== 1 && isClosed)
    refuse("arrivalScale", "arrivalScale: in sessions requests follow answers; use --concurrent");
  if (curve !== undefined && isClosed)
    refuse("curve", "--curve: sessions have no order of arrivals that a cache alone could be shown");
  if (share !== undefined && isClosed) refuse("share", "--share: sessions in a closed loop have no arrivals to share");
  if (capacities !== undefined && curve === undefined) refuse("capacities", "--capacities: only with --curve");
}

/** `trace` holds what a curve can be drawn of: nothing where there is no order of arrivals that is given. */
type OpenWorkload = {
  workload: Workload;
  requests: number;
  facts: WorkloadFacts;
  trace: readonly TraceRequest[];
  /** Tokens of a block of `trace`. */
  traceBlockTokens: number;
};

async function openWorkload(
  options: SimulateOptions,
  config: SimulationConfig,
  say: (text: string) => void,
): Promise<OpenWorkload> {
  const { trace: file, format, concurrent } = options;
  const { blockTokens } = config.engine;
  if (options.calls) return openCalls(await readRecordedCalls(options, { blockTokens, say }), config, concurrent);
  if (file === undefined)
    throw new CentspanError("invalid_request", "--trace: name the trace to simulate, or say --calls", {
      field: "trace",
    });
  if (format === "weka") {
    const recorded: WekaRequest[] = await readTrace(file, readWeka, say);
    const sessions = toAgentSessions(recorded, blockTokens);
    const workload = createClosedLoop(sessions, parseCount("concurrent", concurrent ?? DEFAULT_SESSIONS));
    const facts: WorkloadFacts = { source: format, tokens: "measured", blocks: "measured" };
    return { workload, requests: recorded.length, facts, trace: [], traceBlockTokens: WEKA_BLOCK_TOKENS };
  }
  const trace = await readTrace(file, format === "azure" ? readAzure : readMooncake, say);
  const facts: WorkloadFacts = { source: format, tokens: "measured", blocks: format === "azure" ? null : "measured" };
  return openTrace({ trace, facts, traceBlockTokens: MOONCAKE_BLOCK_TOKENS }, config);
}

function openTrace(
  opened: Pick<OpenWorkload, "trace" | "facts" | "traceBlockTokens">,
  { engine, arrivalScale }: SimulationConfig,
): OpenWorkload {
  const { trace, traceBlockTokens } = opened;
  const shape = { traceBlockTokens, blockTokens: engine.blockTokens, arrivalScale };
  return { ...opened, workload: createOpenLoop(toServingRequests(trace, shape)), requests: trace.length };
}

function openCalls(
  { requests, leftOut, provenance, cacheReadTokens, explainedTokens }: RecordedCalls,
  config: SimulationConfig,
  concurrent: string | undefined,
): OpenWorkload {
  const facts: WorkloadFacts = {
    source: "calls",
    tokens: provenance,
    blocks: "estimated",
    calls: { used: requests.length, leftOut, cacheReadTokens, explainedTokens },
  };
  const { blockTokens } = config.engine;
  if (concurrent === undefined)
    return openTrace({ trace: toTraceRequests(requests), facts, traceBlockTokens: blockTokens }, config);
  const sessions = toAgentSessions(requests, blockTokens, blockTokens);
  const workload = createClosedLoop(sessions, parseCount("concurrent", concurrent));
  return { workload, requests: requests.length, facts, trace: [], traceBlockTokens: blockTokens };
}

const BAR_CELLS = 30;

function drawBar(done: number, all: number): string {
  const full = Math.round((BAR_CELLS * done) / all);
  return `simulating ${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)} ${Math.floor((100 * done) / all)}%`;
}

type Curve = Pick<OpenWorkload, "trace" | "traceBlockTokens"> & {
  config: SimulationConfig;
  capacities: number[] | null;
};

function drawCurve(file: string, { config, trace, traceBlockTokens, capacities }: Curve): HitRateCurve[] {
  if (trace.every(({ blockKeys }) => blockKeys.length === 0))
    throw new CentspanError("invalid_request", "--curve: there are no blocks to find", { field: "curve" });
  const curves = traceHitRates(trace, {
    policies: [findKvPolicy(config.policy)],
    optimum: findKvPolicy("belady"),
    capacities: capacities ?? chooseCapacities(trace),
  });
  const chart = drawLineChart({
    title: "Hit rate by cache capacity",
    xLabel: `blocks of ${traceBlockTokens} tokens (logarithmic)`,
    yLabel: "blocks found in the cache",
    series: curves.map(({ policy, points }) => ({
      name: policy,
      points: points.map(({ capacityBlocks, hitRate }) => ({ x: capacityBlocks, y: hitRate })),
    })),
  });
  writeText(file, chart);
  return curves;
}

function shareWorkload(file: string, { trace, traceBlockTokens }: OpenWorkload): void {
  writeText(file, [...writeMooncake(trace, { blockTokens: traceBlockTokens })].join(""));
}
