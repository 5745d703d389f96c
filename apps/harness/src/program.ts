/**
 * The commands: list the bundled tasks, run one, or run a workload of them. Each parses, calls one function, prints.
 * Must not: touch the process; what it needs of it comes in as `Surroundings`, its result is an exit code.
 */
import { asCentspanError } from "@centspan/base";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { gatewayKeyOf, readSettings } from "./config.ts";
import { describeError } from "./describe-error.ts";
import { checkTaskId, ROLES, type Role } from "./loop/identity.ts";
import { runTask } from "./loop/run-task.ts";
import { describeProgress, describeRun, describeSummary, describeTasks, toJsonLine, toRunLine } from "./print.ts";
import { openServices } from "./services.ts";
import { findTask, loadTasks } from "./task/load-task.ts";
import { listTickets, readPlan } from "./workload/plan.ts";
import { runWorkload } from "./workload/run-workload.ts";

export type Surroundings = {
  env: Record<string, string | undefined>;
  version: string;
  tasksDir: string;
  print(text: string): void;
  complain(text: string): void;
  signal: AbortSignal;
};

type RunFlags = {
  task: string;
  taskId?: string;
  model: string;
  attempt: number;
  role: Role;
  keep: boolean;
  json: boolean;
};
type WorkloadFlags = { except: string[]; plan: string; concurrency: number; json: boolean };

const EXIT_OK = 0;
const EXIT_FAILED = 1;
/** 128 + SIGINT, as shells report it. */
const EXIT_INTERRUPTED = 130;

/** Runs one command line and says how it ended; expected failures are one line for a person. */
export async function runProgram(args: string[], around: Surroundings): Promise<number> {
  let exitCode = EXIT_OK;
  const commands = describeCommands(around, (code) => {
    exitCode = code;
  });
  try {
    await commands.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Already printed, and no failure when help was asked for.
    if (error instanceof CommanderError) return error.exitCode;
    around.complain(`harness: ${describeError(asCentspanError(error))}\n`);
    return around.signal.aborted ? EXIT_INTERRUPTED : EXIT_FAILED;
  }
}

function describeCommands(around: Surroundings, exitWith: (code: number) => void): Command {
  const program = new Command("harness")
    .description("The reference agent loop and its repair tasks.")
    .version(around.version)
    .exitOverride()
    .configureOutput({ writeOut: around.print, writeErr: around.complain });
  program
    .command("tasks")
    .description("list the bundled tasks")
    .action(async () => around.print(describeTasks(await loadTasks(around.tasksDir))));
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
    .action(async (flags: RunFlags) => exitWith(await runCommand(flags, around)));
  program
    .command("workload")
    .description("run several teams' tickets side by side")
    .option("--plan <file>", "JSON file with the teams and their models, or `default`", "default")
    .option("--concurrency <n>", "runs side by side", readCount, 6)
    .option("--except <ids...>", "tickets to leave out, as <team>/<task>; such as those of an interrupted workload", [])
    .option("--json", "print progress as JSON lines", false)
    .action(async (flags: WorkloadFlags) => exitWith(await workloadCommand(flags, around)));
  return program;
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("It has to be a whole number from 1 to 9999.");
  return Number(text);
}

async function runCommand(flags: RunFlags, around: Surroundings): Promise<number> {
  const { version, signal } = around;
  const settings = readSettings(around.env);
  const task = findTask(await loadTasks(around.tasksDir), flags.task);
  const request = {
    task,
    taskId: checkTaskId(flags.taskId ?? task.id),
    model: flags.model,
    attempt: flags.attempt,
    role: flags.role,
    gatewayKey: gatewayKeyOf(settings),
  };
  const open = openServices({ settings, version, connections: 1, keepWorkingCopies: flags.keep, signal });
  try {
    const result = await runTask(request, open.services);
    around.print(flags.json ? toRunLine(result) : describeRun(result, flags.keep));
    return result.status === "passed" && result.errors.length === 0 ? EXIT_OK : EXIT_FAILED;
  } finally {
    await open.close();
  }
}

async function workloadCommand(flags: WorkloadFlags, around: Surroundings): Promise<number> {
  const { version, signal } = around;
  const settings = readSettings(around.env);
  const all = listTickets(await readPlan(flags.plan), await loadTasks(around.tasksDir));
  const tickets = all.filter(({ taskId }) => !flags.except.includes(taskId));
  const keys = new Map(tickets.map(({ team }) => [team, gatewayKeyOf(settings, team)]));
  const { concurrency } = flags;
  const open = openServices({ settings, version, connections: concurrency, keepWorkingCopies: false, signal });
  try {
    const summary = await runWorkload({
      tickets,
      concurrency,
      keyOf: (team) => keys.get(team) ?? gatewayKeyOf(settings, team),
      run: (request) => runTask(request, open.services),
      report: (progress) => around.print(flags.json ? toJsonLine(progress) : describeProgress(progress)),
      signal,
    });
    around.print(flags.json ? toJsonLine(summary) : describeSummary(summary));
    if (summary.interrupted) return EXIT_INTERRUPTED;
    return summary.runsWithErrors > 0 ? EXIT_FAILED : EXIT_OK;
  } finally {
    await open.close();
  }
}
