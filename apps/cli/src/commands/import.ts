/**
 * `centspan import`: recorded runs become traces, calls and outcomes in a workspace of their own.
 * Every file is read and checked before anything is written; importing again changes nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CentspanError, createWallClock, parseInstant } from "@centspan/base";
import { readMiniSweAgent, readSwebenchResults, readSwebenchStats, toRunOutcome } from "@centspan/histories";
import { listPrices, rateCall } from "@centspan/pricing";
import type { Command } from "commander";
import { locateStores } from "../connection.ts";
import { createProgress } from "../progress.ts";
import { formatOutcomeCosts } from "../report.ts";
import { type OpenStores, ORG, openStores } from "../stores.ts";
import { registerImportLocal } from "./import-local.ts";

const RATING_PATIENCE_MS = 60_000;
const INSERT_CALLS = 500;

type CommonOptions = { data: string; workspace: string; json: boolean };
type TrajectoryOptions = CommonOptions & { results?: string };
type StatsOptions = CommonOptions & { at?: string; provider: string; model: string; agent: string };

export function registerImport(program: Command, defaultData: string): void {
  const command = program.command("import").description("bring in recorded runs");
  registerImportLocal(command, defaultData);
  command
    .command("trajectory")
    .description("recorded runs of mini-swe-agent (*.traj.json) with their outcomes")
    .argument("<files...>", "trajectory files")
    .option(
      "--results <file>",
      "which instances were resolved; default: results_summary.json beside each file, if there",
    )
    .option("--workspace <id>", "workspace to import into", "trajectories")
    .option("--data <dir>", "data folder of the running stack", defaultData)
    .option("--json", "print the result as JSON", false)
    .action(importTrajectories);
  command
    .command("swebench-stats")
    .description("statistics of a SWE-bench run: tokens and outcome per instance")
    .argument(
      "<file>",
      "a JSON array of {instance_id, resolved, calls, prompt_tokens, cached_tokens, completion_tokens}",
    )
    .option("--at <time>", "when the run took place (ISO 8601; default: now), which also decides the price entry")
    .option("--provider <name>", "whose price list applies", "google")
    .option("--model <id>", "model that ran", "gemini-3-pro-preview")
    .option("--agent <name>", "agent that ran, used as key and team", "mini-swe-agent")
    .option("--workspace <id>", "workspace to import into", "swebench")
    .option("--data <dir>", "data folder of the running stack", defaultData)
    .option("--json", "print the result as JSON", false)
    .action(importStats);
}

async function importTrajectories(files: string[], options: TrajectoryOptions): Promise<void> {
  const progress = createProgress(process.stderr);
  const runs = files.map((file, index) => {
    progress.step(`reading ${index + 1} of ${files.length}: ${file}`);
    const run = readMiniSweAgent(file, readText(file));
    const resolved = findResults(file, options.results).get(run.instanceId);
    return { run, outcome: resolved === undefined ? null : toRunOutcome(run, resolved) };
  });
  progress.done(`${runs.length} trajectories read`);
  await withWorkspace(options, async (stores) => {
    await stores.warehouse.insertOutcomes(
      options.workspace,
      runs.flatMap(({ outcome }) => outcome ?? []),
    );
    await stores.warehouse.insertSpans(
      options.workspace,
      runs.flatMap(({ run }) => run.spans),
    );
    progress.done(`${runs.reduce((sum, { run }) => sum + run.spans.length, 0)} spans stored`);
    const expected = runs.reduce(
      (sum, { run }) => sum + run.spans.filter(({ name }) => name.startsWith("chat ")).length,
      0,
    );
    await waitForCalls(stores, options.workspace, expected);
    progress.done(`${expected} calls rated`);
    const unknown = runs.filter(({ outcome }) => outcome === null).map(({ run }) => run.instanceId);
    if (unknown.length > 0) progress.done(`no outcome known, so pending: ${unknown.join(", ")}`);
  });
}

async function importStats(file: string, options: StatsOptions): Promise<void> {
  const progress = createProgress(process.stderr);
  const atNs = options.at === undefined ? createWallClock().nowNs() : parseInstant(options.at);
  if (atNs === null) throw new CentspanError("invalid_request", `--at: ${options.at} is not ISO 8601`, { field: "at" });
  const { provider, model, agent } = options;
  const { calls, outcomes } = readSwebenchStats(readText(file), { name: file, atNs, provider, model, agent });
  const rated = calls.map((call) => rateCall(call, listPrices, `import-${basename(file)}`));
  const unpriced = rated.filter((call) => call.costStatus === "unpriced").length;
  progress.done(`${outcomes.length} instances read, ${calls.reduce((sum, call) => sum + call.requests, 0)} calls`);
  await withWorkspace(options, async (stores) => {
    await stores.warehouse.insertOutcomes(options.workspace, outcomes);
    for (let start = 0; start < rated.length; start += INSERT_CALLS) {
      await stores.warehouse.insertCalls(options.workspace, rated.slice(start, start + INSERT_CALLS));
    }
    progress.done(
      unpriced === 0 ? "all priced" : `${unpriced} without a price for ${provider} ${model}: shown as unpriced`,
    );
  });
}

/** Opens the stores, makes the workspace, imports, and prints what the workspace now says. */
async function withWorkspace(options: CommonOptions, write: (stores: OpenStores) => Promise<void>): Promise<void> {
  const located = locateStores(options.data);
  const stores = openStores(located);
  try {
    await stores.control.ensureWorkspace(ORG, { id: options.workspace, name: options.workspace });
    await write(stores);
    const api = stores.apiFor(options.workspace);
    const [outcomes, costs] = await Promise.all([
      api.outcomesCost({ groupBy: "team" }),
      api.cost({ groupBy: "model" }),
    ]);
    const result = { workspace: options.workspace, cost: costs.data, outcomes: outcomes.data, total: outcomes.total };
    if (options.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    else process.stdout.write(`${formatImport(result, located.webUrl)}\n`);
  } finally {
    await stores.close();
  }
}

type ImportResult = {
  workspace: string;
  cost: Awaited<ReturnType<ReturnType<OpenStores["apiFor"]>["cost"]>>["data"];
} & Pick<Awaited<ReturnType<ReturnType<OpenStores["apiFor"]>["outcomesCost"]>>, "total"> & {
    outcomes: Parameters<typeof formatOutcomeCosts>[1];
  };

function formatImport({ workspace, cost, outcomes, total }: ImportResult, webUrl: string | undefined): string {
  const tokens = cost.map(({ group, buckets, requests }) => {
    const prompt = buckets.input + buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h;
    const output = buckets.outputText + buckets.outputReasoning;
    const n = (value: number): string => value.toLocaleString("en-US");
    return `  ${group}: ${n(requests)} calls, ${n(prompt)} prompt tokens of which ${n(buckets.cacheRead)} cached, ${n(output)} completion tokens`;
  });
  return [
    `Workspace ${workspace}`,
    ...tokens,
    "",
    formatOutcomeCosts("team", outcomes, total),
    ...(webUrl === undefined ? [] : ["", `See it: ${webUrl}/?workspace=${encodeURIComponent(workspace)}`]),
  ].join("\n");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CentspanError("invalid_file", `${file}: can't be read (${reason}); nothing was imported`);
  }
}

const readResults = new Map<string, Map<string, boolean>>();

/** The results file named, or the one beside the trajectory; read once. */
function findResults(trajectory: string, named: string | undefined): Map<string, boolean> {
  const file = named ?? join(dirname(trajectory), "results_summary.json");
  let results = readResults.get(file);
  if (results === undefined) {
    results = named === undefined && !existsSync(file) ? new Map() : readSwebenchResults(file, readText(file));
    readResults.set(file, results);
  }
  return results;
}

/** The rating worker of the running stack turns spans into calls; waits for it. */
async function waitForCalls(stores: OpenStores, workspace: string, expected: number): Promise<void> {
  const endAt = performance.now() + RATING_PATIENCE_MS;
  for (;;) {
    const { data } = await stores.apiFor(workspace).cost({ groupBy: "model" });
    if (data.reduce((sum, row) => sum + row.calls, 0) >= expected) return;
    if (performance.now() > endAt) {
      throw new CentspanError(
        "not_ready",
        "the spans are stored, but the worker has not rated them: is the stack running?",
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
