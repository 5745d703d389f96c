/** `harness run`: works on one task, or goes on with a run. */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CentspanError } from "@centspan/base";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readPolicy } from "../approval/policy.ts";
import { type Limits, limitsSchema } from "../budget/limits.ts";
import { gatewayKeyOf, readSettings } from "../config.ts";
import { readEventLog } from "../events/event-log.ts";
import { checkTaskId, ROLES, type Role } from "../loop/identity.ts";
import { type RunRequest, readRequest } from "../loop/run-request.ts";
import { type RunServices, runTask } from "../loop/run-task.ts";
import { describeQuestion, describeRun, describeTurn, toJsonLine, toRunLine } from "../print.ts";
import { openAttendant } from "../run/attendant.ts";
import { describeRunFolder } from "../run/run-folder.ts";
import { writeRecording } from "../run/write-recording.ts";
import { DEFAULT_IMAGE } from "../sandbox/container.ts";
import { SANDBOX_KINDS, type SandboxKind } from "../sandbox/sandbox.ts";
import { openServices } from "../services.ts";
import { findTask, loadTasks, readTask, type Task } from "../task/load-task.ts";
import { addLoopFlags, type LoopFlags, readLoopSettings } from "./loop-flags.ts";
import { readCount } from "./read-count.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, type Surroundings } from "./surroundings.ts";

type RunFlags = LoopFlags & {
  task?: string;
  resume?: string;
  taskId?: string;
  model?: string;
  roleModel: Partial<Record<Role, string>>;
  attempt: number;
  role: Role;
  policy: string;
  budgetUsd?: string;
  maxTokens?: number;
  maxTurns?: number;
  maxSeconds?: number;
  sandbox: SandboxKind | "auto";
  image: string;
  unsafe: boolean;
  egress: boolean;
  standIn: Record<string, string>;
  attend: boolean;
  record?: string;
  keep: boolean;
  json: boolean;
};

export function registerRun(program: Command, around: Surroundings, exitWith: (code: number) => void): void {
  const command = program
    .command("run")
    .description("work on one task, or go on with a run; exit code 0 when the task's tests pass")
    .option("--task <task>", "bundled task, or a folder with task.json and files/")
    .option("--resume <run>", "go on with this run from its log; limits given now replace those that it had")
    .option("--model <model>", "model to ask the gateway for")
    .option(
      "--role-model <role=model>",
      "model of sub-agents that plan, execute or verify; repeatable",
      readRoleModel,
      {},
    )
    .option("--task-id <id>", "ticket that the work is booked on; the task's own id when absent")
    .option("--attempt <n>", "which attempt at the ticket this is", readCount, 1)
    .addOption(
      new Option("--role <role>", "role of the agent; one that plans has sub-agents do the work")
        .choices(ROLES)
        .default("execute"),
    )
    .option(
      "--policy <policy>",
      "what needs approval: never, on-request, on-failure, or a JSON file with lists",
      "never",
    )
    .option("--budget-usd <amount>", "stop before the next turn once this is spent, at list prices")
    .option("--max-tokens <n>", "the same for tokens", readLimit)
    .option("--max-turns <n>", "the same for turns; 40 when absent", readLimit)
    .option("--max-seconds <n>", "the same for time at work", readLimit)
    .addOption(
      new Option("--sandbox <kind>", "what confines programs").choices(["auto", ...SANDBOX_KINDS]).default("auto"),
    )
    .option("--image <image>", "image of the container sandbox", DEFAULT_IMAGE)
    .option("--unsafe", "run programs even where nothing confines them", false)
    .option("--egress", "let programs reach, through the gateway, the hosts that its key may", false)
    .option("--stand-in <name=text>", "variable for programs that holds a secret's placeholder", readStandIn, {})
    .option("--attend", "read answers to approvals, and words to the agent, from standard input", false)
    .option("--record <file>", "write a recording that the engine can replay")
    .option("--keep", "keep the working copy also when the run is finished", false)
    .option("--json", "print progress and result as JSON lines", false);
  addLoopFlags(command).action(async (flags: RunFlags) => exitWith(await run(flags, around)));
}

/** Up to what a safe integer holds. */
function readLimit(text: string): number {
  const limit = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(limit)) return limit;
  throw new InvalidArgumentError("It has to be a whole number above 0.");
}

function readStandIn(text: string, before: Record<string, string>): Record<string, string> {
  const [, name, placeholder] = /^([A-Z_][A-Z0-9_]*)=(.+)$/.exec(text) ?? [];
  if (name === undefined || placeholder === undefined) {
    throw new InvalidArgumentError("It has to be NAME=PLACEHOLDER, such as TOOL_KEY=TOOL_KEY.");
  }
  return { ...before, [name]: placeholder };
}

function readRoleModel(text: string, before: Partial<Record<Role, string>>): Partial<Record<Role, string>> {
  const [, named, model] = /^([a-z]+)=(\S+)$/.exec(text) ?? [];
  const role = ROLES.find((each) => each === named);
  if (role === undefined || model === undefined)
    throw new InvalidArgumentError(`It has to be ${ROLES.join("|")}=MODEL.`);
  return { ...before, [role]: model };
}

async function run(flags: RunFlags, around: Surroundings): Promise<number> {
  const { version, signal } = around;
  const settings = readSettings(around.env);
  const print = (value: object, text: string): void => around.print(flags.json ? toJsonLine(value) : text);
  const request = await readRun(flags, around);
  const isAttended = flags.attend || (around.input.isTTY === true && !flags.json);
  const attendant = isAttended
    ? openAttendant(around.input, (question) => print({ type: "approval", ...question }, describeQuestion(question)))
    : null;
  const open = await openServices({
    settings,
    version,
    connections: 1,
    keepCopies: flags.keep ? "all" : "unfinished",
    sandbox: { kind: flags.sandbox, image: flags.image, unsafe: flags.unsafe },
    loop: readLoopSettings(flags),
    signal,
  });
  const services: RunServices = {
    ...open.services,
    person: attendant?.ask ?? null,
    takeSteering: () => attendant?.takeSteering() ?? [],
    report: (progress) => print({ type: "turn", ...progress }, describeTurn(progress)),
    onStart: (runId) => print({ type: "run", runId }, `run ${runId}\n`),
  };
  try {
    const result = await runTask(request, services, flags.resume);
    around.print(flags.json ? toRunLine(result) : describeRun(result, flags.keep));
    if (flags.record !== undefined) {
      const { events } = describeRunFolder(join(services.workDir, result.runId));
      await writeFile(flags.record, writeRecording(readEventLog(events)));
    }
    return result.status === "passed" && result.errors.length === 0 ? EXIT_OK : EXIT_FAILED;
  } catch (error) {
    if (!signal.aborted) throw error;
    return EXIT_INTERRUPTED;
  } finally {
    attendant?.close();
    await open.close();
  }
}

async function readRun(flags: RunFlags, around: Surroundings): Promise<RunRequest> {
  const settings = readSettings(around.env);
  const limits = readLimits(flags);
  if (flags.resume !== undefined) {
    const gatewayKey = gatewayKeyOf(settings);
    return readRequest(settings.CENTSPAN_WORK_DIR, flags.resume, { gatewayKey, raised: limits });
  }
  const { task: named, model } = flags;
  if (named === undefined) throw missing("task", "a task is needed, or --resume with a run to go on with");
  if (model === undefined) throw missing("model", "the model to work with is needed");
  const task = await findNamed(named, around.tasksDir);
  return {
    task,
    taskId: checkTaskId(flags.taskId ?? task.id),
    model,
    roleModels: flags.roleModel,
    attempt: flags.attempt,
    role: flags.role,
    policy: await readPolicy(flags.policy),
    limits: limitsSchema.parse(limits),
    egress: flags.egress,
    standIns: flags.standIn,
    gatewayKey: gatewayKeyOf(settings),
  };
}

const missing = (field: string, why: string): CentspanError =>
  new CentspanError("invalid_request", `--${field}: ${why}`, { field });

/** What looks like a path is one. */
async function findNamed(named: string, tasksDir: string): Promise<Task> {
  return /[/\\.]/.test(named) ? readTask(resolve(named)) : findTask(await loadTasks(tasksDir), named);
}

const limitFlags = limitsSchema.partial();

function readLimits({ budgetUsd, maxTokens, maxTurns, maxSeconds }: RunFlags): Partial<Limits> {
  const given = { usd: budgetUsd, tokens: maxTokens, turns: maxTurns, seconds: maxSeconds };
  const parsed = limitFlags.safeParse(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
  if (parsed.success) return parsed.data;
  throw missing("budget-usd", parsed.error.issues[0]?.message ?? "is no amount");
}
