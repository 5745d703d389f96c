/** `centspan eval`: sets of tasks, run again with another model or setting, and which way passes the bar for the least money. */
import type { ApiClient } from "@centspan/api";
import { CentspanError } from "@centspan/base";
import { type EvaluationSet, evaluationSetSchema, nameEvaluationTask } from "@centspan/model";
import type { Command } from "commander";
import { locateStores } from "../connection.ts";
import { formatTable } from "../report.ts";
import { describeEvaluation } from "../report-outcomes.ts";
import { openStores, printWithWorkspace, requireWorkspace } from "../stores.ts";
import { runHarness } from "./run.ts";
import { addWorkspaceOptions } from "./workspace-options.ts";

type WorkspaceOptions = { data: string; workspace: string };
type PastOptions = { past?: boolean; team?: string; taskType?: string; status?: string; from?: string; to?: string };
type CreateOptions = WorkspaceOptions & PastOptions & { minPassRate: string; maxCost?: string; tasks?: string[] };
type RunOptions = WorkspaceOptions & { model: string; way?: string; repeat: string; first: string; key?: string };

const RUN_HELP = `
Every other option of \`centspan run\` is passed on, such as --role-model or --budget-usd; name the way then:
  centspan eval run nightly --model scripted-cheap --repeat 3
  centspan eval run nightly --model scripted-cheap --role plan --role-model plan=scripted-strong --way cheap-planned`;

export function registerEval(program: Command, defaultData: string): void {
  const command = program.command("eval").description("hold models and settings against a set of tasks");
  const add = (name: string, description: string): Command =>
    addWorkspaceOptions(command.command(name).description(description), defaultData);

  add("create <name>", "make a set of tasks and state its bar, which is not moved afterwards")
    .requiredOption("--min-pass-rate <share>", "what a way has to be shown to pass, such as 0.9")
    .option("--max-cost <usd>", "most that a pass may cost")
    .option("--tasks <tasks...>", "bundled tasks, or folders with task.json and files/")
    .option("--past", "tasks that were worked on, by the names of their bundled tasks")
    .option("--team <team>", "of the past ones only a team's")
    .option("--task-type <type>", "only of a type")
    .option("--status <status>", "only with that status, such as failed")
    .option("--from <instant>", "only begun since")
    .option("--to <instant>", "only begun before")
    .action((name: string, options: CreateOptions) =>
      printWithWorkspace(options, async (api) => {
        const set = await api.createEvaluation(readSet(name, options, await listTasks(api, options)));
        return `${name} has ${set.tasks.length} tasks; its bar is ${set.minPassRate}`;
      }),
    );

  add("list", "sets with their bars").action((options: WorkspaceOptions) =>
    printWithWorkspace(options, async (api) => {
      const { data } = await api.evaluations();
      const rows = data.map((set) => [
        set.name,
        String(set.tasks.length),
        String(set.minPassRate),
        set.maxCostPerPassUsd ?? "–",
      ]);
      return rows.length === 0 ? "No set yet." : formatTable([["name", "tasks", "bar", "at most USD"], ...rows]);
    }),
  );

  add("show <name>", "what each way passes, and for how much; the cheapest that is shown to meet the bar").action(
    (name: string, options: WorkspaceOptions) =>
      printWithWorkspace(options, async (api) => describeEvaluation(await api.evaluation(name))),
  );

  add("run <name>", "work on the set's tasks again, one after the other")
    .requiredOption("--model <model>", "model to ask the gateway for")
    .option("--way <name>", "what to call this way; the model when absent")
    .option("--repeat <n>", "how often each task is run", "1")
    .option("--first <n>", "number of the first repetition, to go on where another one ended", "1")
    .option("--key <key>", "gateway key that pays")
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", RUN_HELP)
    .action((name: string, options: RunOptions, self: Command) => runSet(name, options, self.args.slice(1)));
}

/** A ticket of a workload is named team/task. */
async function listTasks(
  api: ApiClient,
  { tasks, past, team, taskType, status, from, to }: CreateOptions,
): Promise<string[]> {
  if (!past) return tasks ?? [];
  const { data } = await api.outcomeTasks({ team, taskType, status, from, to, limit: "1000" });
  const worked = data.filter(({ task }) => !task.startsWith("eval/")).map(({ task }) => task.split("/").at(-1) ?? task);
  return [...new Set([...(tasks ?? []), ...worked])].sort();
}

function readSet(name: string, { minPassRate, maxCost }: CreateOptions, tasks: string[]): EvaluationSet {
  const most = maxCost === undefined ? {} : { maxCostPerPassUsd: maxCost };
  const set = evaluationSetSchema.safeParse({ name, tasks, minPassRate: Number(minPassRate), ...most });
  if (set.success) return set.data;
  const [issue] = set.error.issues;
  throw new CentspanError("invalid_request", `${issue?.path.join(".")}: ${issue?.message}`);
}

async function runSet(name: string, options: RunOptions, passedOn: readonly string[]): Promise<void> {
  const [repeat, first] = [readCount("repeat", options.repeat), readCount("first", options.first)];
  const way = options.way ?? options.model;
  if (options.way === undefined && passedOn.length > 0)
    throw new CentspanError("invalid_request", "--way: is needed with options that are not the model alone");
  const set = (await withApi(options, (api) => api.evaluation(name))).set;
  for (let number = first; number < first + repeat; number += 1)
    for (const task of set.tasks) {
      const taskId = nameEvaluationTask({ set: name, way, task, repeat: number });
      const args = ["run", "--task", task, "--task-id", taskId, "--model", options.model, ...passedOn];
      // One that fails has an outcome too; one that was interrupted ends the set.
      if ((await runHarness(args, options.data, options.key)) === INTERRUPTED) {
        process.exitCode = INTERRUPTED;
        return;
      }
    }
  process.stdout.write("\nCalls are rated within some seconds: centspan eval show tells how it went.\n");
}

/** 128 + SIGINT. */
const INTERRUPTED = 130;

function readCount(option: string, text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new CentspanError("invalid_request", `--${option}: has to be a whole number from 1 to 9999`, { field: option });
}

async function withApi<T>({ data, workspace }: WorkspaceOptions, work: (api: ApiClient) => Promise<T>): Promise<T> {
  const stores = openStores(locateStores(data));
  try {
    await requireWorkspace(stores, workspace);
    return await work(stores.apiFor(workspace));
  } finally {
    await stores.close();
  }
}
