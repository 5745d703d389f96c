/**
 * The commands. Each is a file in `commands/` that parses, calls one function, prints.
 * Must not: touch the process; what it needs of it comes in as `Surroundings`, its result is an exit code.
 */
import { asCentspanError } from "@centspan/base";
import { Command, CommanderError } from "commander";
import { registerAudit } from "./commands/audit.ts";
import { registerOptimize } from "./commands/optimize.ts";
import { registerReplay } from "./commands/replay.ts";
import { registerRun } from "./commands/run.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, type Surroundings } from "./commands/surroundings.ts";
import { registerWorkload } from "./commands/workload.ts";
import { describeError } from "./describe-error.ts";
import { describeTasks } from "./print.ts";
import { loadTasks } from "./task/load-task.ts";

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
  registerRun(program, around, exitWith);
  registerWorkload(program, around, exitWith);
  registerAudit(program, around, exitWith);
  registerOptimize(program, around, exitWith);
  registerReplay(program, around, exitWith);
  return program;
}
