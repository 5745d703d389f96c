/** `harness workload`: works through several teams' tickets. */
import type { Command } from "commander";
import { gatewayKeyOf, readSettings } from "../config.ts";
import { runTask } from "../loop/run-task.ts";
import { createMechanisms } from "../mechanisms.ts";
import { describeProgress, describeSummary, toJsonLine } from "../print.ts";
import { DEFAULT_IMAGE } from "../sandbox/container.ts";
import { openServices } from "../services.ts";
import { loadTasks } from "../task/load-task.ts";
import { listTickets, readPlan } from "../workload/plan.ts";
import { runWorkload } from "../workload/run-workload.ts";
import { addLoopFlags, type LoopFlags, readLoopSettings } from "./loop-flags.ts";
import { readCount } from "./read-count.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, type Surroundings } from "./surroundings.ts";

type WorkloadFlags = LoopFlags & {
  except: string[];
  plan: string;
  round: string;
  concurrency: number;
  unsafe: boolean;
  json: boolean;
};

export function registerWorkload(program: Command, around: Surroundings, exitWith: (code: number) => void): void {
  const command = program
    .command("workload")
    .description("run several teams' tickets side by side")
    .option(
      "--plan <file>",
      "JSON file with the teams and their models, `default`, or `mended`: the same with all that the waste ledger advises",
      "default",
    )
    .option("--round <name>", "what tells these tickets from those of the same tasks before, such as a date", "")
    .option("--concurrency <n>", "runs side by side", readCount, 6)
    .option("--except <ids...>", "tickets to leave out, as <team>/<task>; such as those of an interrupted workload", [])
    .option("--unsafe", "run programs even where nothing confines them", false)
    .option("--json", "print progress as JSON lines", false);
  addLoopFlags(command).action(async (flags: WorkloadFlags) => exitWith(await workload(flags, around)));
}

async function workload(flags: WorkloadFlags, around: Surroundings): Promise<number> {
  const { version, signal } = around;
  const settings = readSettings(around.env);
  const all = listTickets(await readPlan(flags.plan), await loadTasks(around.tasksDir), flags.round);
  const tickets = all.filter(({ taskId }) => !flags.except.includes(taskId));
  const keys = new Map(tickets.map(({ team }) => [team, gatewayKeyOf(settings, team)]));
  const { concurrency, unsafe } = flags;
  const sandbox = { kind: "auto" as const, image: DEFAULT_IMAGE, unsafe };
  const open = await openServices({
    ...{ settings, version, sandbox, signal, connections: concurrency, keepCopies: "none" },
    loop: readLoopSettings(flags),
  });
  try {
    const summary = await runWorkload({
      tickets,
      concurrency,
      keyOf: (team) => keys.get(team) ?? gatewayKeyOf(settings, team),
      run: (request, without) =>
        runTask(request, { ...open.services, mechanisms: createMechanisms([...flags.without, ...without]) }),
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
