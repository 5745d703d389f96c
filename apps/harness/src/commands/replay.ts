/** `harness replay`: goes through a recorded run again, against a model that plays it. */
import { readFile } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import { readTrajectory } from "@centspan/histories";
import type { Command } from "commander";
import { gatewayKeyOf, readSettings } from "../config.ts";
import { describeTurn, toJsonLine } from "../print.ts";
import { replayTrajectory } from "../replay/replay-trajectory.ts";
import { DEFAULT_IMAGE } from "../sandbox/container.ts";
import { openServices } from "../services.ts";
import { addLoopFlags, type LoopFlags, readLoopSettings } from "./loop-flags.ts";
import { readCount } from "./read-count.ts";
import { EXIT_FAILED, EXIT_OK, type Surroundings } from "./surroundings.ts";

type ReplayFlags = LoopFlags & { model?: string; maxTurns: number; json: boolean };

const MAX_TURNS = 1_000;

export function registerReplay(program: Command, around: Surroundings, exitWith: (code: number) => void): void {
  const command = program
    .command("replay <file>")
    .description("go through a recorded run again; exit code 0 when it came to its end")
    .option("--model <model>", "model that plays it; `replay-` and the run's id when absent")
    .option("--max-turns <n>", "stop after as many", readCount, MAX_TURNS)
    .option("--json", "print progress and result as JSON lines", false);
  addLoopFlags(command).action(async (file: string, flags: ReplayFlags) => exitWith(await replay(file, flags, around)));
}

async function replay(file: string, flags: ReplayFlags, around: Surroundings): Promise<number> {
  const { version, signal } = around;
  const settings = readSettings(around.env);
  const trajectory = readTrajectory(file, await readRecorded(file));
  const gatewayKey = gatewayKeyOf(settings);
  const open = await openServices({
    ...{ settings, version, signal, connections: 1, keepCopies: "none" },
    sandbox: { kind: "auto", image: DEFAULT_IMAGE, unsafe: false },
    loop: readLoopSettings(flags),
  });
  try {
    const { services } = open;
    const result = await replayTrajectory(
      { trajectory, model: flags.model ?? `replay-${trajectory.id}`, maxTurns: flags.maxTurns },
      {
        ...{ ...services, gatewayKey, sandbox: await services.openSandbox(null) },
        report: (progress) =>
          around.print(flags.json ? toJsonLine({ type: "turn", ...progress }) : describeTurn(progress)),
      },
    );
    await services.telemetry.flush();
    around.print(flags.json ? toJsonLine(result) : `${result.stop} after ${result.turns} turns: ${result.finalText}\n`);
    return result.stop === "answered" ? EXIT_OK : EXIT_FAILED;
  } finally {
    await open.close();
  }
}

const readRecorded = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((cause: unknown) => {
    throw new CentspanError("invalid_file", `${file} can't be read`, { cause });
  });
