/** `harness optimize`: the bundled optimizer agent, once. */
import { CentspanError } from "@centspan/base";
import type { Command } from "commander";
import { limitsSchema } from "../budget/limits.ts";
import { gatewayKeyOf, readSettings } from "../config.ts";
import { runOptimizerAgent } from "../optimize/optimizer-agent.ts";
import { describeOptimizer, describeTurn, toJsonLine } from "../print.ts";
import { DEFAULT_IMAGE } from "../sandbox/container.ts";
import { openServices } from "../services.ts";
import { readLoopSettings, WINDOW_TOKENS } from "./loop-flags.ts";
import { EXIT_FAILED, EXIT_OK, type Surroundings } from "./surroundings.ts";

type OptimizeFlags = {
  model: string;
  question?: string;
  applyTo?: string;
  budgetUsd?: string;
  json: boolean;
};

export function registerOptimize(program: Command, around: Surroundings, exitWith: (code: number) => void): void {
  program
    .command("optimize")
    .description("have the optimizer agent look for what costs most, and file what would cost less; once")
    .requiredOption("--model <model>", "model to ask the gateway for")
    .option("--question <text>", "what to answer; what costs most, and what would cost less, when absent")
    .option("--apply-to <url>", "engine of ours to apply to what was accepted; without it nothing is applied")
    .option("--budget-usd <amount>", "stop before the next turn once this is spent, at list prices")
    .option("--json", "print progress and result as JSON lines", false)
    .action(async (flags: OptimizeFlags) => exitWith(await optimize(flags, around)));
}

async function optimize(flags: OptimizeFlags, around: Surroundings): Promise<number> {
  const settings = readSettings(around.env);
  const { CENTSPAN_API_URL: apiUrl, CENTSPAN_API_KEY: apiKey } = settings;
  if (apiUrl === undefined || apiKey === undefined)
    throw new CentspanError("unauthenticated", "environment: CENTSPAN_API_URL and CENTSPAN_API_KEY are needed");
  const open = await openServices({
    ...{ settings, version: around.version, connections: 1, keepCopies: "none" },
    sandbox: { kind: "none", image: DEFAULT_IMAGE, unsafe: false },
    loop: readLoopSettings({ window: WINDOW_TOKENS, without: [] }),
    signal: around.signal,
  });
  const services = {
    ...open.services,
    report: (progress: Parameters<typeof describeTurn>[0]) =>
      around.print(flags.json ? toJsonLine({ type: "turn", ...progress }) : describeTurn(progress)),
  };
  try {
    const options = {
      ...{ model: flags.model, gatewayKey: gatewayKeyOf(settings), apiUrl, apiKey },
      limits: limitsSchema.parse({ usd: flags.budgetUsd }),
      engineUrl: flags.applyTo ?? null,
      question: flags.question ?? null,
    };
    const result = await runOptimizerAgent(options, services);
    around.print(flags.json ? toJsonLine({ type: "result", ...result }) : describeOptimizer(result));
    return result.stop === "answered" ? EXIT_OK : EXIT_FAILED;
  } finally {
    await open.close();
  }
}
