/** `centspan recommend`: settings from traffic with a verdict, and recommendations as records on their way. */
import { availableParallelism } from "node:os";
import { CentspanError } from "@centspan/base";
import type { Recommendation } from "@centspan/model";
import {
  adviseSpend,
  createDefaultSpace,
  type DescribedEngine,
  exportEverywhere,
  type Limit,
  limitSchema,
  OBJECTIVES,
  type Objective,
  spaceSchema,
  toRecommendation,
} from "@centspan/optimizer";
import type { SimulationConfig } from "@centspan/serving";
import { type Command, Option } from "commander";
import { createProgress } from "../progress.ts";
import { parseCount, readConfig, readText } from "../read-workload.ts";
import { readEngine } from "../recommend/read-engine.ts";
import { readTraffic, type TrafficQuery } from "../recommend/read-traffic.ts";
import { formatRefusals, formatVerdict } from "../recommend/report-verdict.ts";
import { type SearchAnswer, searchSettings } from "../recommend/search-settings.ts";
import { formatTable } from "../report.ts";
import { printWithWorkspace } from "../stores.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type SearchOptions = TrafficQuery & {
  config?: string;
  engine?: string;
  space?: string;
  limit: string[];
  objective: Objective;
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
type Common = { data: string; workspace: string; json: boolean };

export function registerRecommend(program: Command, defaultData: string): void {
  const recommend = program
    .command("recommend")
    .description(
      "settings from recorded traffic, with a verdict on traffic they have not seen; and what became of them",
    );
  registerSearch(recommend, defaultData);
  registerRecords(recommend, defaultData);
}

function registerSearch(recommend: Command, defaultData: string): void {
  const search = recommend
    .command("settings")
    .description(
      "search for better engine settings on the earlier part of the traffic, and judge them on the later part",
    )
    .option("--trace <file>", "the traffic; gzip is understood")
    .option("--calls", "the calls of a workspace instead of a trace", false)
    .option("--from <time>", "calls of this time (ISO 8601) and later; default: all")
    .option("--to <time>", "calls before this time; default: all")
    .option("--key <name>", "calls of this key")
    .option("--model <id>", "calls of this model")
    .addOption(
      new Option("--format <name>", "format of the trace").choices(["mooncake", "azure", "weka"]).default("mooncake"),
    )
    .option("--concurrent <n>", "sessions at a time, each request after the answer before it")
    .option("--config <file>", "the present settings as JSON; default: what `simulate --print-config` prints")
    .option("--engine <service>", "step times, KV size and limits from the spans of this service, beside --config")
    .option("--space <file>", "values to try by setting, as JSON; default: usual ones of each")
    .option(
      "--limit <limit>",
      "how long may be waited, such as interactive:ttft:p90:2000 (ms); may be repeated",
      (word: string, before: string[]) => [...before, word],
      [],
    )
    .addOption(new Option("--objective <cost>", "what is to be low").choices([...OBJECTIVES]).default("used"))
    .option("--candidates <n>", "settings of the first round", "1000")
    .option("--threads <n>", "threads to simulate on; default: one for each core")
    .option("--seconds <n>", "end the search after so long, with the best so far", "60")
    .option("--seed <n>", "of what is drawn", "1")
    .option("--no-priorities", "the engine is not told who waits now")
    .option("--beyond-support", "answer outside of the range that the step times were fitted on", false)
    .option("--subject <name>", "pool that it is about", "engine")
    .option("--file", "file it as a recommendation in the workspace, where it holds", false)
    .option("--json", "print the answer as JSON", false)
    .action(runSearch);
  addWorkspaceOptions(search, defaultData);
}

async function runSearch(options: SearchOptions): Promise<void> {
  const limits = options.limit.map(parseLimit);
  const described = options.engine === undefined ? null : await readEngine(options.engine, options);
  if (described !== null && described.engine === null) {
    const { refusals, calibration } = described;
    const text = options.json ? JSON.stringify({ refusals, calibration }, null, 2) : formatRefusals(refusals);
    process.stdout.write(`${text}\n`);
    return;
  }
  const config = mergeEngine(readConfig(options.config), described?.engine ?? null);
  const present = { ...config, priorities: options.priorities };
  const space = options.space === undefined ? createDefaultSpace(present) : readSpace(options.space);
  const progress = createProgress(process.stderr);
  const read = await readTraffic(options, config, progress.step);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  const answer = await searchSettings(
    read,
    {
      present,
      space,
      limits,
      objective: options.objective,
      candidates: parseCount("candidates", options.candidates),
      threads: options.threads === undefined ? availableParallelism() : parseCount("threads", options.threads),
      seconds: parseCount("seconds", options.seconds),
      seed: parseCount("seed", options.seed),
      beyondSupport: options.beyondSupport,
      support: described?.engine?.support ?? null,
    },
    { say: progress.step, signal: stop.signal },
  );
  process.removeListener("SIGINT", interrupt);
  progress.done(answer.verdict === null ? "refused" : "judged");
  const recommendation = toRecord(answer, options, read.source, {
    model: config.model,
    blockTokens: config.engine.blockTokens,
    router: config.router.id,
  });
  const { verdict, worth, searched, refusals } = answer;
  const text = options.json
    ? JSON.stringify({ refusals, verdict, worth, searched, recommendation }, null, 2)
    : verdict === null || searched === null
      ? formatRefusals(refusals)
      : formatVerdict({ verdict, worth, ...searched, recommendation });
  process.stdout.write(`${text}\n`);
  if (options.file && recommendation !== null)
    await printWithWorkspace(options, async (api) => {
      const { id } = await api.proposeRecommendation(recommendation);
      return `filed as ${id}: nothing is applied until somebody accepts it`;
    });
}

/** What the engine says of itself comes before what a file says of it. */
const mergeEngine = (config: SimulationConfig, said: DescribedEngine | null): SimulationConfig =>
  said === null
    ? config
    : {
        ...config,
        stepTime: said.stepTime,
        replicas: said.replicas,
        policy: said.policy,
        engine: { ...config.engine, ...said.engine },
      };

function toRecord(
  { verdict, worth, searched }: SearchAnswer,
  { subject, objective }: SearchOptions,
  source: string,
  context: { model: string; blockTokens: number; router: string },
) {
  if (verdict === null || verdict.state === "refused" || worth === null) return null;
  return toRecommendation(verdict, {
    subject,
    objective,
    worth,
    exported: exportEverywhere(verdict.changes, context),
    chosenOn: `${verdict.requests.chosenOn} requests of ${source}, ${searched?.points ?? 0} settings`,
    judgedOn: `${verdict.requests.judgedOn} later requests, not seen in the search`,
  });
}

function parseLimit(word: string): Limit {
  const [priority, metric, percentile, ms] = word.split(":");
  const parsed = limitSchema.safeParse({ priority, metric, percentile, ms: Number(ms) });
  if (parsed.success) return parsed.data;
  const message = `--limit: ${JSON.stringify(word)} is not like interactive:ttft:p90:2000 (interactive or batch; ttft, tpot or e2e; mean, p50, p90 or p99; ms)`;
  throw new CentspanError("invalid_request", message, { field: "limit" });
}

function readSpace(file: string) {
  const text = readText(file);
  try {
    const parsed = spaceSchema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CentspanError(
    "invalid_file",
    `${file}: must be JSON with lists of values by setting, such as {"maxSequences": [16, 64]}`,
  );
}

function registerRecords(recommend: Command, defaultData: string): void {
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(recommend.command(name).description(description), defaultData).option(
      "--json",
      "the answer of the Trace API",
      false,
    );
  add("list", "recommendations, newest first, with where they stand").action((options: Common) =>
    printWithWorkspace(options, async (api) => {
      const answer = await api.recommendations();
      return options.json ? JSON.stringify(answer, null, 2) : formatList(answer.data);
    }),
  );
  add("show <id>", "a recommendation whole, as JSON").action((id: string, options: Common) =>
    printWithWorkspace(options, async (api) => JSON.stringify(await api.recommendation(id), null, 2)),
  );
  add("spend", "what those who rent models can change, from the waste ledger, each with its saving a month")
    .option("--file", "file them as recommendations in the workspace", false)
    .action((options: Common & { file: boolean }) =>
      printWithWorkspace(options, async (api) => {
        const advised = adviseSpend((await api.wasteTop({ limit: "20" })).data, options.workspace);
        if (options.file) for (const one of advised) await api.proposeRecommendation(one);
        return options.json
          ? JSON.stringify(advised, null, 2)
          : advised.length === 0
            ? "Nothing that saves a dollar a month."
            : formatTable(
                [
                  ["USD a month", "what", "now", "proposed"],
                  ...advised.map((one) => [
                    one.savings.cashUsdMonth,
                    one.title,
                    ...one.changes.flatMap(({ now, proposed }) => [String(now), String(proposed)]),
                  ]),
                ],
                4,
              );
      }),
    );
  for (const [step, description] of [
    ["accept", "a person says that it may be applied"],
    ["reject", "a person says that it is not to be applied"],
    ["applied", "it has been applied; only what was accepted can be"],
    ["withdraw", "it is no longer proposed"],
  ] as const)
    add(`${step} <id>`, description)
      .requiredOption("--by <name>", "the person who takes the step")
      .option("--note <text>", "why", "")
      .action((id: string, options: Common & { by: string; note: string }) =>
        printWithWorkspace(options, async (api) => {
          const answer = await api.stepRecommendation(id, step, { by: options.by, note: options.note });
          return options.json ? JSON.stringify(answer, null, 2) : `${id} is ${answer.state}`;
        }),
      );
}

const formatList = (recommendations: readonly Recommendation[]): string =>
  recommendations.length === 0
    ? "No recommendations."
    : formatTable(
        [
          ["id", "state", "what", "capacity USD a month", "cash USD a month"],
          ...recommendations.map(({ id, state, title, savings }) => [
            id,
            state,
            title,
            savings.capacityUsdMonth,
            savings.cashUsdMonth,
          ]),
        ],
        3,
      );
