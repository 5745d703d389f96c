import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CentspanError } from "@centspan/base";
import { expect, it } from "vitest";
import type { RunRequest } from "../loop/run-request.ts";
import type { RunResult } from "../loop/run-task.ts";
import { loadTasks } from "../task/load-task.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { DEFAULT_PLAN, listTickets, type Plan, readPlan } from "./plan.ts";
import { type Progress, runWorkload } from "./run-workload.ts";

const TASKS_DIR = fileURLToPath(new URL("../../tasks", import.meta.url));

function resultOf(request: RunRequest, status: RunResult["status"]): RunResult {
  const runId = `${request.taskId}#${request.attempt}`;
  return {
    ...{ runId, traceId: null, status, stop: "answered", turns: 3, finalText: "", workingCopy: "", sandbox: "none" },
    spent: { usd: "0", tokens: 0, turns: 3, seconds: 1, unpricedTurns: 0 },
    errors: [],
  };
}

type Judge = (request: RunRequest) => RunResult["status"];

/** The workload with runs that take a turn of the event loop and end as `judge` says. */
async function work(plan: Plan, judge: Judge, options: { concurrency?: number; stopAfter?: number } = {}) {
  const tasks = await loadTasks(TASKS_DIR);
  const interrupt = new AbortController();
  const requests: RunRequest[] = [];
  const withouts = new Map<string, readonly string[]>();
  const progress: Progress[] = [];
  let running = 0;
  let mostRunning = 0;
  const summary = await runWorkload({
    tickets: listTickets(plan, tasks),
    concurrency: options.concurrency ?? 6,
    keyOf: (team) => `key of ${team}`,
    run: async (request, without) => {
      withouts.set(request.taskId, without);
      interrupt.signal.throwIfAborted();
      requests.push(request);
      mostRunning = Math.max(mostRunning, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (requests.length === options.stopAfter) interrupt.abort(new CentspanError("interrupted", "stopped"));
      interrupt.signal.throwIfAborted();
      return resultOf(request, judge(request));
    },
    report: (line) => progress.push(line),
    signal: interrupt.signal,
  });
  return { summary, requests, withouts, progress, mostRunning, tasks };
}

const WITHOUT: Record<string, string[]> = {
  payments: [],
  search: ["stableInstructions"],
  platform: ["parallelTools"],
};
const onlyStrong: Judge = ({ model }) => (model === "scripted-strong" ? "passed" : "failed");

it("gives every team each task as a ticket of its own, with the team's key", async () => {
  const { requests, tasks, summary, mostRunning } = await work(DEFAULT_PLAN, () => "passed");
  expect(tasks.length).toBeGreaterThanOrEqual(12);
  const expected = tasks.flatMap(({ id }) => ["payments", "search", "platform"].map((team) => `${team}/${id}`));
  expect(requests.map(({ taskId }) => taskId)).toEqual(expected);
  for (const { taskId, gatewayKey } of requests) expect(gatewayKey).toBe(`key of ${taskId.split("/")[0]}`);
  expect(summary).toMatchObject({ tickets: expected.length, finished: expected.length, runs: expected.length });
  expect(mostRunning).toBe(6);
});

it("makes a second attempt only where the first failed and the plan has one", async () => {
  const { requests, withouts, summary, progress, tasks } = await work(DEFAULT_PLAN, onlyStrong);
  for (const [taskId, without] of withouts) expect(without).toEqual(WITHOUT[taskId.split("/")[0] ?? ""]);
  const of = (team: string) => requests.filter(({ taskId }) => taskId.startsWith(`${team}/`));
  expect(of("search").every(({ model, attempt }) => model === "scripted-cheap" && attempt === 1)).toBe(true);
  const platform = of("platform").filter(({ taskId }) => taskId === `platform/${tasks[0]?.id}`);
  expect(platform.map(({ model, attempt }) => [model, attempt])).toEqual([
    ["scripted-cheap", 1],
    ["scripted-strong", 2],
  ]);
  const each = tasks.length;
  expect(summary.teams).toEqual({
    payments: { tickets: each, passed: each, runs: each },
    search: { tickets: each, passed: 0, runs: each },
    platform: { tickets: each, passed: each, runs: 2 * each },
  });
  expect(progress.map(({ done }) => done)).toEqual([...progress.map(({ done }) => done)].sort((a, b) => a - b));
  expect(progress.at(-1)).toMatchObject({ done: 3 * each, total: 3 * each });
});

it("starts nothing after an interruption and says so", async () => {
  const { summary, requests, progress } = await work(DEFAULT_PLAN, () => "passed", { concurrency: 2, stopAfter: 5 });
  expect(summary.interrupted).toBe(true);
  expect(requests.length).toBeLessThanOrEqual(6);
  expect(progress.length).toBeLessThan(requests.length);
});

it("does not hide a fault of a run", async () => {
  const broken = work(DEFAULT_PLAN, () => {
    throw new Error("a bug");
  });
  await expect(broken).rejects.toThrow("a bug");
});

it("reads a plan from a file and names what is wrong with it", async () => {
  const folder = await createTemporaryFolder();
  const read = async (text: string) => {
    await writeFile(join(folder, "plan.json"), text);
    return readPlan(join(folder, "plan.json"));
  };
  const plan = await read('{"teams":[{"team":"a","attempts":["m"],"tasks":["iso-week-year"]}]}');
  expect(listTickets(plan, await loadTasks(TASKS_DIR))).toMatchObject([{ taskId: "a/iso-week-year", attempts: ["m"] }]);
  const lesser = await read('{"teams":[{"team":"a","attempts":["m"],"without":["parallelTools"]}]}');
  expect(listTickets(lesser, await loadTasks(TASKS_DIR))[0]?.without).toEqual(["parallelTools"]);
  await expect(read('{"teams":[{"team":"a","attempts":["m"],"without":["webSocket"]}]}')).rejects.toThrow("without.0");
  await expect(read("{")).rejects.toMatchObject({ code: "invalid_file", field: "plan" });
  await expect(read('{"teams":[{"team":"a","attempts":[]}]}')).rejects.toThrow("teams.0.attempts");
  await expect(read('{"teams":[],"speed":2}')).rejects.toThrow("speed");
  await expect(readPlan(join(folder, "none.json"))).rejects.toThrow("ENOENT");
  const unknown = await read('{"teams":[{"team":"a","attempts":["m"],"tasks":["nope"]}]}');
  const tasks = await loadTasks(TASKS_DIR);
  expect(() => listTickets(unknown, tasks)).toThrow('there is no "nope"');
});

it("reads every bundled task, and refuses a folder whose task.json is wrong", async () => {
  const tasks = await loadTasks(TASKS_DIR);
  const folders = (await readdir(TASKS_DIR, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(tasks.map(({ id }) => id)).toEqual(folders.map(({ name }) => name).sort());
  const folder = await createTemporaryFolder();
  const write = async (task: unknown) => {
    await mkdir(join(folder, "a-task"), { recursive: true });
    await writeFile(join(folder, "a-task/task.json"), typeof task === "string" ? task : JSON.stringify(task));
    return loadTasks(folder);
  };
  const task = { id: "a-task", title: "t", type: "bug", repository: "acme/a", prompt: "p" };
  expect(await write(task)).toMatchObject([{ ...task, filesDir: join(folder, "a-task/files") }]);
  await expect(write({ ...task, type: "chore" })).rejects.toThrow(/task\.json: .*type/);
  await expect(write({ ...task, id: "b" })).rejects.toThrow('id: is "b", but the folder is "a-task"');
  await expect(write("{")).rejects.toMatchObject({ code: "invalid_file" });
});
