/** The commands from arguments to printed lines and exit code, against a model server; one test as a real process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runProgram } from "./program.ts";
import { pollUntil } from "./testing/poll.ts";
import { type PeerOptions, startResponsesPeer } from "./testing/responses-peer.ts";
import { createTemporaryFolder } from "./testing/temporary-folder.ts";

const APP = fileURLToPath(new URL("..", import.meta.url));

async function harness(args: string[], env: Record<string, string> = {}) {
  const printed = { stdout: "", stderr: "" };
  const code = await runProgram(args, {
    env: { PATH: process.env.PATH, ...env },
    version: "1.2.3",
    tasksDir: join(APP, "tasks"),
    print: (text) => {
      printed.stdout += text;
    },
    complain: (text) => {
      printed.stderr += text;
    },
    input: new PassThrough(),
    signal: new AbortController().signal,
  });
  return { ...printed, code };
}

async function openPeer(answer: PeerOptions["answer"]) {
  const peer = await startResponsesPeer({ answer });
  onTestFinished(() => peer.close());
  const workDir = await createTemporaryFolder();
  const env = { CENTSPAN_GATEWAY_URL: peer.url, CENTSPAN_GATEWAY_KEY: "cs_gateway_x", CENTSPAN_WORK_DIR: workDir };
  return { peer, workDir, env };
}

it("lists the bundled tasks and its own commands", async () => {
  const tasks = await harness(["tasks"]);
  expect(tasks).toMatchObject({ code: 0, stderr: "" });
  expect(tasks.stdout).toMatch(/^csv-quoted-fields +edge-case +\S/m);
  expect(await harness(["--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("workload") });
});

it("runs a task, prints the result and says by its exit code that the tests fail", async () => {
  const { peer, env } = await openPeer(() => ({ say: "I can't." }));
  const args = ["run", "--task", "iso-week-year", "--task-id", "payments/7", "--model", "m"];
  const asJson = await harness([...args, "--json"], env);
  expect(asJson).toMatchObject({ code: 1, stderr: "" });
  const lines = asJson.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { type: "run", runId: expect.stringMatching(/^run_/) },
    { type: "turn", turn: 1, calls: [], spentUsd: "0" },
    { type: "result", status: "failed", stop: "answered", turns: 1, errors: [], spent: { turns: 1, usd: "0" } },
  ]);
  expect(peer.received[0]?.headers["x-centspan-task"]).toBe("payments/7");
  const forPeople = await harness(args, env);
  expect(forPeople.stdout).toMatch(
    /failed after 1 turns \(answered\)\nrun run_\w+, no trace\nspent .*\nthe agent says: I can't/,
  );
});

it.each([
  [["run", "--task", "nope", "--model", "m"], { CENTSPAN_GATEWAY_KEY: "k" }, 'there is no "nope"'],
  [["run", "--task", "iso-week-year", "--model", "m"], {}, "CENTSPAN_GATEWAY_KEY is needed"],
  [["run", "--task", "iso-week-year", "--model", "m", "--task-id", "a b"], { CENTSPAN_GATEWAY_KEY: "k" }, "task-id:"],
  [["run", "--task", "iso-week-year"], {}, "--model"],
  [["run", "--task", "x", "--model", "m", "--role", "boss"], {}, "--role"],
  [["workload", "--concurrency", "0"], {}, "--concurrency"],
  [["workload", "--plan", "/no/such/plan.json"], { CENTSPAN_GATEWAY_KEY: "k" }, "plan /no/such/plan.json: ENOENT"],
  [["workload"], { CENTSPAN_TEAM_KEYS: '{"payments":"k"}' }, 'CENTSPAN_TEAM_KEYS["search"]'],
  [["workload"], { CENTSPAN_TEAM_KEYS: "payments" }, "CENTSPAN_TEAM_KEYS: must be a JSON object"],
  [["workload"], { CENTSPAN_API_URL: "http://127.0.0.1:1" }, "CENTSPAN_API_KEY: is needed with CENTSPAN_API_URL"],
  [["workload"], { CENTSPAN_GATEWAY_URL: "gateway" }, "CENTSPAN_GATEWAY_URL:"],
])("says in one line what is wrong with %j", async (args, env: Record<string, string>, says) => {
  const { stdout, stderr, code } = await harness(args, env);
  expect(stderr).toContain(says);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});

it("stops on Ctrl-C: programs killed, working copies gone, summary printed", { timeout: 30_000 }, async () => {
  const answer = () => ({ calls: [{ tool: "run_command", args: { command: "touch started; sleep 600" } }] });
  const { workDir, env } = await openPeer(answer);
  const child = spawn(process.execPath, ["--import", "tsx", "src/main.ts", "workload", "--json"], {
    cwd: APP,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const finished = Promise.all([child.stdout.toArray(), once(child, "close")]);
  await pollUntil(
    "a command of the agent to start",
    // Not all below it is looked at: what is being made there may be gone again.
    async () => (await readdir(workDir)).some((run) => existsSync(join(workDir, run, "copy", "started"))),
    25_000,
  );
  child.kill("SIGINT");
  const [stdout, [code]] = await finished;
  expect(code).toBe(130);
  const lines = stdout.join("").trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "summary", interrupted: true, finished: 0 });
  expect((await readdir(workDir, { recursive: true })).filter((path) => path.endsWith("/copy"))).toEqual([]);
});
