/**
 * `centspan run`, `workload`, `audit` and `optimize`: the reference agents against the running stack, or any gateway that the environment
 * names. What they do is the harness's; here it is told where the stack is and which key pays.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Command } from "commander";
import { type Connection, readConnection } from "../connection.ts";
import { appScript } from "../stack/services.ts";

type Options = Record<string, string | boolean | string[] | undefined>;

const collect = (text: string, before: string[] = []): string[] => [...before, text];

/** Of an agent of one key and model. */
const addCommon = (command: Command, defaultData: string): Command =>
  addPlace(
    command
      .option("--key <key>", "gateway key that pays; CENTSPAN_GATEWAY_KEY or the stack's own when absent")
      .option("--model <model>", "model to ask the gateway for")
      .option("--budget-usd <amount>", "stop before the next turn once this is spent, at list prices"),
    defaultData,
  );

/** Other options are the harness's, and passed on as they are. */
const addPlace = (command: Command, defaultData: string): Command =>
  command
    .option("--data <dir>", "data folder of the running stack, with the runs' logs in it", defaultData)
    .option("--json", "print progress and result as JSON lines", false)
    .allowUnknownOption()
    .allowExcessArguments();

export function registerRun(program: Command, defaultData: string): void {
  const run = program
    .command("run")
    .description("have the reference agent work on a task, or go on with a run; every option of `harness run` is taken")
    .option("--task <dir>", "folder with task.json and files/, or the name of a bundled task")
    .option("--resume <id>", "go on with this run; a budget given now replaces the one it had")
    .option("--policy <policy>", "what needs approval: never, on-request, on-failure, or a JSON file with lists")
    .option("--max-tokens <n>", "stop before the next turn once prompts and answers together have so many")
    .option("--max-turns <n>", "the same for the turns of a thread; 40 when absent")
    .option("--max-seconds <n>", "the same for time at work")
    .option("--role <role>", "plan, execute or verify; one that plans has sub-agents do the work")
    .option("--role-model <role=model>", "model of sub-agents that execute or verify; repeatable", collect)
    .option("--sandbox <kind>", "what confines programs: auto, namespaces, container or none")
    .option("--unsafe", "run programs even where nothing confines them")
    .option("--egress", "let programs reach, through the gateway, the hosts that its key may")
    .option("--attend", "read answers to approvals, and words to the agent, from standard input")
    .option("--keep", "keep the working copy also when the run is finished")
    .option("--record <file>", "write a recording that the engine can replay");
  addCommon(run, defaultData).action((options: Options, command: Command) => passOn("run", options, command));
  const workload = program
    .command("workload")
    .description("have the demo's teams, or others, work through tasks; every option of `harness workload` is taken")
    .option("--plan <file>", "JSON file with the teams and their models, `default`, or `mended`: the same as advised")
    .option("--round <name>", "what tells these tickets from those of the same tasks before, such as a date")
    .option("--concurrency <n>", "runs side by side; 6 when absent")
    .option("--unsafe", "run programs even where nothing confines them");
  addPlace(workload, defaultData).action((options: Options, command: Command) =>
    passOn("workload", options, command, (connection) => ({
      CENTSPAN_TEAM_KEYS: JSON.stringify(connection.teamKeys),
    })),
  );
  const audit = program
    .command("audit")
    .description(
      "reread the event logs of runs and report what should be looked into; with --model an agent reads them too",
    )
    .requiredOption("--since <when>", "how far back, such as 24h or 7d, or an ISO 8601 time");
  addCommon(audit, defaultData).action((options: Options, command: Command) => passOn("audit", options, command));
  const optimize = program
    .command("optimize")
    .description("have the optimizer agent look for what costs most, and file what would cost less; once")
    .option("--question <text>", "what to answer; what costs most, and what would cost less, when absent")
    .option("--apply-to <url>", "engine of ours to apply to what was accepted; without it nothing is applied");
  addCommon(optimize, defaultData).action((options: Options, command: Command) =>
    passOn("optimize", options, command, (connection) => ({ CENTSPAN_API_KEY: connection.optimizerKey })),
  );
}

/** Ours alone: they become environment, where no other process sees a key. */
const OWN = new Set(["key", "data"]);

type Told = (connection: Connection) => Record<string, string>;

async function passOn(task: string, options: Options, command: Command, tell?: Told): Promise<void> {
  const args = command.options.flatMap((option) => {
    const value = options[option.attributeName()];
    const name = option.long ?? "";
    if (value === undefined || value === false || OWN.has(option.attributeName())) return [];
    return value === true ? [name] : [value].flat().flatMap((each) => [name, String(each)]);
  });
  process.exitCode = await runHarness([task, ...args, ...command.args], String(options.data), options.key, tell);
}

/** As a process of its own; resolves with its exit code. */
export async function runHarness(
  args: readonly string[],
  dataDir: string,
  key: Options[string],
  tell?: Told,
): Promise<number> {
  const child = spawn(process.execPath, ["--enable-source-maps", appScript("harness"), ...args], {
    env: { ...process.env, ...describeStack(dataDir, tell), ...nameKey(key) },
    stdio: "inherit",
  });
  // It hears of Ctrl-C itself, and ends in its own time.
  const wait = (): void => undefined;
  const end = (): void => void child.kill("SIGTERM");
  process.on("SIGINT", wait);
  process.once("SIGTERM", end);
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  }).finally(() => process.off("SIGINT", wait).off("SIGTERM", end));
}

const nameKey = (key: Options[string]): Record<string, string> =>
  typeof key === "string" ? { CENTSPAN_GATEWAY_KEY: key } : {};

/** What the environment says itself goes before. */
function describeStack(dataDir: string, tell?: Told): Record<string, string> {
  const connection = readConnection(dataDir);
  const stack = {
    CENTSPAN_WORK_DIR: join(dataDir, "work"),
    ...(connection !== null && {
      CENTSPAN_GATEWAY_URL: connection.gatewayUrl,
      CENTSPAN_GATEWAY_KEY: connection.gatewayKey,
      CENTSPAN_OTLP_URL: connection.otlpUrl,
      CENTSPAN_INGEST_KEY: connection.ingestKey,
      CENTSPAN_API_URL: connection.webUrl,
      CENTSPAN_API_KEY: connection.apiKey,
      ...tell?.(connection),
    }),
  };
  return Object.fromEntries(Object.entries(stack).filter(([name]) => process.env[name] === undefined));
}
