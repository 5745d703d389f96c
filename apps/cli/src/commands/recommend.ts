/** `centspan recommend settings`: better engine settings from traffic, with a verdict on traffic that they have not seen. */
import { availableParallelism } from "node:os";
import { CentspanError } from "@centspan/base";
import {
  COST_OBJECTIVES,
  type CostObjective,
  type RecommendationInput,
  type SearchInput,
  settingSpaceSchema,
  studyInputSchema,
  type WaitLimit,
  waitLimitSchema,
} from "@centspan/model";
import {
  createDefaultSpace,
  type OptimizerRefusal,
  STUDY_WINDOW,
  type StudyData,
  toStudyRecommendation,
  type Verdict,
  type Worth,
} from "@centspan/optimizer";
import { type Command, Option } from "commander";
import { z } from "zod";
import { createProgress } from "../progress.ts";
import { parseCount, readConfig, readText } from "../read-workload.ts";
import { awaitStudy } from "../recommend/await-study.ts";
import { readTraffic, type TraceQuery } from "../recommend/read-traffic.ts";
import { formatRefusals, formatVerdict } from "../recommend/report-verdict.ts";
import { searchSettings } from "../recommend/search-settings.ts";
import { printWithWorkspace } from "../stores.ts";
import { registerPolicies, registerRecords } from "./recommend-records.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type SearchOptions = Omit<TraceQuery, "trace"> & {
  data: string;
  workspace: string;
  trace?: string;
  calls: boolean;
  engine?: string;
  from?: string;
  to?: string;
  machineFrom?: string;
  machineTo?: string;
  key?: string;
  model?: string;
  config?: string;
  space?: string;
  limit: string[];
  objective: CostObjective;
  candidates: string;
  threads?: string;
  seconds: string;
  seed: string;
  beyondSupport: boolean;
  priorities: boolean;
  subject: string;
  file: boolean;
  json: boolean;
};

/** What is printed, wherever it was found out. */
type Answer = {
  refusals: readonly OptimizerRefusal[];
  verdict: Verdict | null;
  worth: Worth | null;
  searched: { points: number; evaluations: number; wasCut: boolean } | null;
  recommendation: RecommendationInput | null;
};

export function registerRecommend(program: Command, defaultData: string): void {
  const recommend = program
    .command("recommend")
    .description(
      "settings from recorded traffic, with a verdict on traffic they have not seen; and what became of them",
    );
  registerSearch(recommend, defaultData);
  registerRecords(recommend, defaultData);
  registerPolicies(recommend, defaultData);
}

function registerSearch(recommend: Command, defaultData: string): void {
  const search = recommend
    .command("settings")
    .description(
      "search for better engine settings on the earlier part of the traffic, and judge them on the later part",
    )
    .option("--trace <file>", "the traffic, searched in this process; gzip is understood")
    .option("--calls", "the calls of a workspace instead of a trace; the stack's worker searches", false)
    .option("--engine <service>", "the requests, settings and step times that the spans of this service tell; likewise")
    .option("--from <time>", "calls or requests of this time (ISO 8601) and later; default: all")
    .option("--to <time>", "those before this time; default: all")
    .option("--machine-from <time>", "with --engine: step times from steps of another time, from here")
    .option("--machine-to <time>", "until there")
    .option("--key <name>", "calls of this key")
    .option("--model <id>", "calls of this model")
    .addOption(
      new Option("--format <name>", "format of the trace").choices(["mooncake", "azure", "weka"]).default("mooncake"),
    )
    .option("--concurrent <n>", "sessions at a time, each request after the answer before it")
    .option("--config <file>", "the present settings as JSON; default: what `simulate --print-config` prints")
    .option("--space <file>", "values to try by setting, as JSON; default: usual ones of each")
    .option(
      "--limit <limit>",
      "how long may be waited, such as interactive:ttft:p90:2000 (ms); may be repeated",
      (word: string, before: string[]) => [...before, word],
      [],
    )
    .addOption(new Option("--objective <cost>", "what is to be low").choices([...COST_OBJECTIVES]).default("used"))
    .option("--candidates <n>", "settings of the first round", "1000")
    .option("--threads <n>", "threads to simulate a trace on; default: one for each core")
    .option("--seconds <n>", "end the search after so long, with the best so far", "60")
    .option("--seed <n>", "of what is drawn", "1")
    .option("--no-priorities", "of a trace: the engine is not told who waits now")
    .option("--beyond-support", "answer outside of the range that the step times were fitted on", false)
    .option("--subject <name>", "pool that it is about", "engine")
    .option("--file", "file it as a recommendation in the workspace, where it holds", false)
    .option("--json", "print the answer as JSON", false)
    .action((options: SearchOptions) =>
      options.trace === undefined ? askWorker(options) : searchTrace({ ...options, trace: options.trace }),
    );
  addWorkspaceOptions(search, defaultData);
}

async function searchTrace(options: SearchOptions & { trace: string }): Promise<void> {
  const { limit, objective, beyondSupport: ignoreSupport, subject } = options;
  const config = readConfig(options.config);
  const present = { ...config, priorities: options.priorities };
  const values = options.space === undefined ? createDefaultSpace(present) : readSpace(options.space);
  const progress = createProgress(process.stderr);
  const { traffic, evidence, source } = await readTraffic(options, config, progress.step);
  const seed = parseCount("seed", options.seed);
  const limits = limit.map(parseLimit);
  const data: StudyData = { ...STUDY_WINDOW, present, values, traffic, limits, objective, seed, ignoreSupport };
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  const study = { evidence, candidates: parseCount("candidates", options.candidates), measured: null };
  const studied = await searchSettings(data, study, {
    threads: options.threads === undefined ? availableParallelism() : parseCount("threads", options.threads),
    seconds: parseCount("seconds", options.seconds),
    signal: stop.signal,
    say: progress.step,
  });
  process.removeListener("SIGINT", interrupt);
  progress.done(studied.verdict === null ? "refused" : "judged");
  const recommendation = toStudyRecommendation(data, studied, { subject, source });
  printAnswer({ ...studied, recommendation }, options.json);
  if (options.file && recommendation !== null)
    await printWithWorkspace(options, async (api) => sayFiled((await api.proposeRecommendation(recommendation)).id));
}

const sayFiled = (id: string): string => `filed as ${id}: nothing is applied until it is accepted`;

/** As the worker put them there. */
const detailsSchema = z.object({
  verdict: z.custom<Verdict>((value) => typeof Object(value).state === "string").nullish(),
  worth: z.custom<Worth>((value) => typeof Object(value).gpuSMonth === "number").nullish(),
  searched: z.object({ points: z.number(), evaluations: z.number(), wasCut: z.boolean() }).nullish(),
});
const refusalsSchema = z.array(z.custom<OptimizerRefusal>((value) => typeof Object(value).reason === "string"));

async function askWorker(options: SearchOptions): Promise<void> {
  const asked = describeSearch(options);
  await printWithWorkspace(options, async (api) => {
    const { id, result } = await awaitStudy(api, asked);
    const { verdict = null, worth = null, searched = null } = detailsSchema.parse(result?.details ?? {});
    const [recommendation = null] = result?.recommendations ?? [];
    const refusals = refusalsSchema.parse(result?.refused ?? []);
    printAnswer({ refusals, verdict, worth, searched, recommendation }, options.json);
    if (recommendation === null || !options.file) return `study ${id}`;
    return sayFiled((await api.fileStudy(id)).id);
  });
}

function describeSearch(options: SearchOptions): SearchInput {
  const { calls, engine: service, from, to, key, model, machineFrom, machineTo, space, config } = options;
  if (!calls && service === undefined)
    throw new CentspanError("invalid_request", "--trace: name the traffic: a trace, --calls or --engine", {
      field: "trace",
    });
  const isElsewhere = machineFrom !== undefined || machineTo !== undefined;
  const asked = studyInputSchema.parse({
    kind: "search",
    subject: options.subject,
    service,
    traffic: { from, to, key, model },
    ...(isElsewhere && { machine: { from: machineFrom, to: machineTo } }),
    ...(config !== undefined && { config: readConfig(config) }),
    ...(space !== undefined && { space: readSpace(space) }),
    ...(options.concurrent !== undefined && { concurrent: parseCount("concurrent", options.concurrent) }),
    limits: options.limit.map(parseLimit),
    objective: options.objective,
    candidates: parseCount("candidates", options.candidates),
    seconds: parseCount("seconds", options.seconds),
    seed: parseCount("seed", options.seed),
    beyondSupport: options.beyondSupport,
  });
  if (asked.kind === "search") return asked;
  throw new Error("a search was described");
}

function printAnswer({ refusals, verdict, worth, searched, recommendation }: Answer, isJson: boolean): void {
  const text = isJson
    ? JSON.stringify({ refusals, verdict, worth, searched, recommendation }, null, 2)
    : verdict === null || searched === null
      ? formatRefusals(refusals)
      : formatVerdict({ verdict, worth, ...searched, recommendation });
  process.stdout.write(`${text}\n`);
}

function parseLimit(word: string): WaitLimit {
  const [priority, metric, percentile, ms] = word.split(":");
  const parsed = waitLimitSchema.safeParse({ priority, metric, percentile, ms: Number(ms) });
  if (parsed.success) return parsed.data;
  const message = `--limit: ${JSON.stringify(word)} is not like interactive:ttft:p90:2000 (interactive or batch; ttft, tpot or e2e; mean, p50, p90 or p99; ms)`;
  throw new CentspanError("invalid_request", message, { field: "limit" });
}

function readSpace(file: string) {
  const text = readText(file);
  try {
    const parsed = settingSpaceSchema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CentspanError(
    "invalid_file",
    `${file}: must be JSON with lists of values by setting, such as {"maxSequences": [16, 64]}`,
  );
}
