/** Runs that are killed, as real processes, at the moments that matter; and what goes on with them afterwards. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openEventLog, readEventLog } from "../events/event-log.ts";
import { pollUntil } from "../testing/poll.ts";
import { type PlannedTurn, startResponsesPeer } from "../testing/responses-peer.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTinyTask } from "../testing/tiny-task.ts";

const APP = fileURLToPath(new URL("../..", import.meta.url));

const edit = { tool: "edit_file", args: { path: "src/double.js", old: "n + 2", new: "n * 2" } };
const append = { tool: "run_command", args: { command: "echo line >> lines; sleep $(cat pause); cat lines" } };
const TURNS: PlannedTurn[] = [
  { calls: [edit, { tool: "read_file", args: { path: "src/double.js" } }] },
  { calls: [append] },
  { say: "It multiplies now." },
];
const FINISHED = { status: "passed", stop: "answered", turns: 3, finalText: "It multiplies now.", errors: [] };

const resultSchema = z.looseObject({ type: z.literal("result") });
type Child = ChildProcessByStdio<null, Readable, Readable>;

/** `onAsk` is told of each request, before it is answered. */
async function openRun(onAsk: (turn: number, child: Child) => void = () => undefined) {
  const task = await createTinyTask();
  await writeFile(join(task.filesDir, "pause"), "0\n");
  const workDir = await createTemporaryFolder();
  let child: Child | null = null;
  const peer = await startResponsesPeer({
    answer: (turn) => {
      if (child !== null) onAsk(turn, child);
      return TURNS[turn] ?? { say: "?" };
    },
  });
  onTestFinished(() => peer.close());
  const env = {
    PATH: process.env.PATH,
    CENTSPAN_GATEWAY_URL: peer.url,
    CENTSPAN_GATEWAY_KEY: "cs_gateway_x",
    CENTSPAN_WORK_DIR: workDir,
  };
  /** Resolves when the process has ended; `result` is null where it printed none. */
  const run = async (...args: string[]) => {
    const command = ["--import", "tsx", "src/main.ts", "run", "--json", "--unsafe", ...args];
    const started = spawn(process.execPath, command, { cwd: APP, env, stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    onTestFinished(() => void started.kill("SIGKILL"));
    const [stdout, stderr] = await Promise.all([started.stdout.toArray(), started.stderr.toArray()]);
    const last = stdout.join("").trim().split("\n").at(-1) ?? "";
    return {
      result: last === "" ? null : (resultSchema.safeParse(JSON.parse(last)).data ?? null),
      stderr: stderr.join(""),
    };
  };
  const findRun = async () => (await readdir(workDir)).find((name) => name.startsWith("run_")) ?? "";
  const kill = () => void child?.kill("SIGKILL");
  return { task, peer, workDir, kill, run, findRun, first: ["--task", task.dir, "--model", "m"] };
}

const limit = { timeout: 120_000 };

it("asks the lost question again, word for word and under the same key, and changes nothing twice", limit, async () => {
  let killed = false;
  const { peer, run, findRun, first } = await openRun((turn, child) => {
    if (turn !== 1 || killed) return;
    killed = true;
    child.kill("SIGKILL");
  });
  expect((await run(...first)).result).toBe(null);
  const runId = await findRun();
  expect((await run("--resume", runId)).result).toMatchObject({ ...FINISHED, runId });
  const [, lost, again] = peer.received;
  expect(again?.body.input).toEqual(lost?.body.input);
  const keys = peer.received.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([1, 2, 2, 3].map((turn) => `${runId}:${turn}`));
});

it("makes a command that was cut off again, from where it began", limit, async () => {
  const { task, peer, workDir, kill, run, findRun, first } = await openRun();
  await writeFile(join(task.filesDir, "pause"), "600\n");
  const running = run(...first);
  const copied = async (name: string) => (await readdir(join(workDir, await findRun(), "copy"))).includes(name);
  await pollUntil("the command to begin", () => copied("lines").catch(() => false), 30_000);
  kill();
  await running;
  const runId = await findRun();
  await writeFile(join(workDir, runId, "before", "pause"), "0\n");
  expect((await run("--resume", runId)).result).toMatchObject(FINISHED);
  const outputs = peer.received.at(-1)?.body.input.filter(({ type }) => type === "function_call_output");
  expect(outputs?.at(-1)?.output).toBe("exit code: 0\nline\n");
});

it("asks nothing more for a run that is finished, whatever tore the end of its log", limit, async () => {
  const { peer, workDir, run, findRun, first } = await openRun();
  const { result } = await run(...first);
  expect(result).toMatchObject(FINISHED);
  const runId = await findRun();
  const log = join(workDir, runId, "events.jsonl");
  appendFileSync(log, '{"at":"2026-01-01T00:00:00.000Z","type":"turn_answ');
  expect((await run("--resume", runId)).result).toMatchObject(FINISHED);
  expect(peer.received).toHaveLength(3);
  expect(readEventLog(log).map(({ type }) => type)).toEqual([
    ...["started", "message", "surroundings", "turn_answered", "approval", "tool_done", "tool_done"].flatMap(
      (type, index) => (index === 4 ? ["tool_started", type] : [type]),
    ),
    ...["turn_answered", "tool_started", "approval", "tool_done", "turn_answered", "stopped", "judged"],
    ...["resumed", "stopped"],
  ]);
});

it("lets one process at a time work on a run, and says so to the other", limit, async () => {
  const { workDir, run, findRun, first } = await openRun();
  await run(...first);
  const runId = await findRun();
  const log = openEventLog(join(workDir, runId, "events.jsonl"));
  const { stderr, result } = await run("--resume", runId);
  log.close();
  expect(result).toBe(null);
  expect(stderr).toBe(`harness: the run is being worked on by process ${process.pid}\n`);
  expect((await run("--resume", "run_none")).stderr).toContain("there is no log of it");
});
