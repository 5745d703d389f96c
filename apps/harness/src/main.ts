/** The `harness` command: lists the bundled tasks, runs one, or runs a workload of them. */
import { fileURLToPath } from "node:url";
import { asCentspanError, CentspanError } from "@centspan/base";
import { Command, InvalidArgumentError, Option } from "commander";
import { gatewayKeyOf, readSettings } from "./config.ts";
import { describeError } from "./describe-error.ts";
import { checkTaskId, ROLES, type Role } from "./loop/identity.ts";
import { runTask } from "./loop/run-task.ts";
import { describeProgress, describeRun, describeSummary, describeTasks, toJsonLine, toRunLine } from "./print.ts";
import { openServices } from "./services.ts";
import { findTask, loadTasks } from "./task/load-task.ts";
import { listTickets, readPlan } from "./workload/plan.ts";
import { runWorkload } from "./workload/run-workload.ts";

const VERSION = process.env.CENTSPAN_VERSION ?? "0.0.0";
/** Beside `src/` and `dist/` alike. */
const TASKS_DIR = fileURLToPath(new URL("../tasks", import.meta.url));

type RunFlags = {
  task: string;
  taskId?: string;
  model: string;
  attempt: number;
  role: Role;
  keep: boolean;
  json: boolean;
};
type WorkloadFlags = { plan: string; concurrency: number; json: boolean };

const EXIT_FAILED = 1;
/** 128 + SIGINT, as shells report it. */
const EXIT_INTERRUPTED = 130;

async function listCommand(): Promise<void> {
  process.stdout.write(describeTasks(await loadTasks(TASKS_DIR)));
}

async function runCommand(flags: RunFlags, signal: AbortSignal): Promise<void> {
  const settings = readSettings(process.env);
  const task = findTask(await loadTasks(TASKS_DIR), flags.task);
  const request = {
    task,
    taskId: checkTaskId(flags.taskId ?? task.id),
    model: flags.model,
    attempt: flags.attempt,
    role: flags.role,
    gatewayKey: gatewayKeyOf(settings),
  };
  const open = openServices({ settings, version: VERSION, connections: 1, keepWorkingCopies: flags.keep, signal });
  try {
    const result = await runTask(request, open.services);
    process.stdout.write(flags.json ? toRunLine(result) : describeRun(result, flags.keep));
    if (result.status !== "passed" || result.errors.length > 0) process.exitCode = EXIT_FAILED;
  } finally {
    await open.close();
  }
}

async function workloadCommand(flags: WorkloadFlags, signal: AbortSignal): Promise<void> {
  const settings = readSettings(process.env);
  const tickets = listTickets(await readPlan(flags.plan), await loadTasks(TASKS_DIR));
  const keys = new Map(tickets.map(({ team }) => [team, gatewayKeyOf(settings, team)]));
  const { concurrency } = flags;
  const open = openServices({ settings, version: VERSION, connections: concurrency, keepWorkingCopies: false, signal });
  try {
    const summary = await runWorkload({
      tickets,
      concurrency,
      keyOf: (team) => keys.get(team) ?? gatewayKeyOf(settings, team),
      run: (request) => runTask(request, open.services),
      report: (progress) => process.stdout.write(flags.json ? toJsonLine(progress) : describeProgress(progress)),
      signal,
    });
    process.stdout.write(flags.json ? toJsonLine(summary) : describeSummary(summary));
    if (summary.interrupted) process.exitCode = EXIT_INTERRUPTED;
    else if (summary.runsWithErrors > 0) process.exitCode = EXIT_FAILED;
  } finally {
    await open.close();
  }
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("It has to be a whole number from 1 to 9999.");
  return Number(text);
}

function describeCommands(signal: AbortSignal): Command {
  const program = new Command("harness").description("The reference agent loop and its repair tasks.").version(VERSION);
  program.command("tasks").description("list the bundled tasks").action(listCommand);
  program
    .command("run")
    .description("run one task; exit code 0 when its tests pass")
    .requiredOption("--task <id>", "bundled task to work on")
    .requiredOption("--model <model>", "model to ask the gateway for")
    .option("--task-id <id>", "ticket that the work is booked on; the task's own id when absent")
    .option("--attempt <n>", "which attempt at the ticket this is", readCount, 1)
    .addOption(new Option("--role <role>", "role of the agent").choices(ROLES).default("execute"))
    .option("--keep", "keep the working copy", false)
    .option("--json", "print the result as one JSON line", false)
    .action((flags: RunFlags) => runCommand(flags, signal));
  program
    .command("workload")
    .description("run several teams' tickets side by side")
    .option("--plan <file>", "JSON file with the teams and their models, or `default`", "default")
    .option("--concurrency <n>", "runs side by side", readCount, 6)
    .option("--json", "print progress as JSON lines", false)
    .action((flags: WorkloadFlags) => workloadCommand(flags, signal));
  return program;
}

/** The first signal stops cleanly (programs killed, spans delivered); a second one ends the process at once. */
function interruptOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) {
    process.once(name, () => controller.abort(new CentspanError("interrupted", `stopped by ${name}`)));
  }
  return controller.signal;
}

const signal = interruptOnSignals();
try {
  await describeCommands(signal).parseAsync();
} catch (error) {
  process.exitCode = signal.aborted ? EXIT_INTERRUPTED : EXIT_FAILED;
  process.stderr.write(`harness: ${describeError(asCentspanError(error))}\n`);
}
