import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { createRandom } from "@centspan/base";
import { expect, it, onTestFinished } from "vitest";
import { openUnconfined } from "../sandbox/unconfined.ts";
import { createWorkingCopy } from "../task/working-copy.ts";
import { listenOnLoopback } from "../testing/listen.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { BROKEN, createTinyTask, FIXED } from "../testing/tiny-task.ts";
import { readEvidence } from "./read-evidence.ts";
import { createApiRecorder } from "./record-outcome.ts";
import { verifyTask } from "./verify-task.ts";

/** Verifies what an agent left that did `work` in its working copy. */
async function verifyAfter(work: (copy: string) => Promise<void>) {
  const task = await createTinyTask();
  const workDir = await createTemporaryFolder();
  const workingCopy = join(workDir, "run_1");
  await createWorkingCopy(task, workingCopy);
  await work(workingCopy);
  const sandbox = openUnconfined(process.env.PATH ?? "");
  const evidence = await verifyTask({ task, workingCopy, workDir, sandbox, signal: new AbortController().signal });
  expect((await readdir(workDir)).filter((name) => name !== "run_1")).toEqual([]);
  return { ...evidence, ...readEvidence(evidence) };
}

/** Files that can't be copied, whatever the source says. */
async function leavePipeAndSocket(copy: string): Promise<void> {
  execFileSync("mkfifo", [join(copy, "src/pipe")]);
  const server = createSocketServer().listen(join(copy, "socket"));
  onTestFinished(() => void server.close());
  await once(server, "listening");
}

const source = (copy: string) => join(copy, "src/double.js");

it("passes the right fix, also with files beside it, and fails what was left as it was", async () => {
  const fixed = await verifyAfter(async (copy) => {
    await writeFile(join(copy, "src/times.js"), "export const times = (a, b) => a * b;\n");
    await writeFile(source(copy), 'import { times } from "./times.js";\nexport const double = (n) => times(n, 2);\n');
  });
  expect(fixed).toMatchObject({ status: "passed", exitCode: 0, evidence: { passed: 2, failed: 0 } });
  const untouched = await verifyAfter(async () => undefined);
  expect(untouched).toMatchObject({ status: "failed", exitCode: 1, evidence: { failing: ["all cases"] } });
});

it.each<[string, (copy: string) => Promise<void>]>([
  ["emptied its tests", (copy) => writeFile(join(copy, "test/double.test.js"), "")],
  ["removed its tests", (copy) => rm(join(copy, "test"), { recursive: true })],
  ["changed the fixtures", (copy) => writeFile(join(copy, "fixtures/cases.json"), "[]")],
  [
    "put a link to other tests in their place",
    async (copy) => {
      await rm(join(copy, "test"), { recursive: true });
      await symlink("/tmp", join(copy, "test"));
    },
  ],
  [
    "redirected the import in package.json",
    (copy) => writeFile(join(copy, "package.json"), '{ "type": "module", "imports": {}, "exports": "./other.js" }'),
  ],
  ["added tests of its own", (copy) => writeFile(join(copy, "test/b.test.js"), 'import "node:test";')],
  ["ends the process before the tests run", (copy) => writeFile(source(copy), `${BROKEN}process.exit(0);\n`)],
  [
    "ends the process between the tests",
    (copy) => writeFile(source(copy), `${BROKEN.replace("=> n", "=> n === 0 ? process.exit(0) : n")}`),
  ],
  ["no longer loads", (copy) => writeFile(source(copy), "export const double = ;\n")],
  ["removed everything", (copy) => rm(copy, { recursive: true })],
  ["left a pipe and a socket", leavePipeAndSocket],
  ["removed the source", (copy) => rm(join(copy, "src"), { recursive: true })],
])("fails an agent that %s", async (_what, work) => {
  expect(await verifyAfter(work)).toMatchObject({ status: "failed", exitCode: 1 });
});

it("leaves the agent's own files and the task's as they were", async () => {
  const edited = "// nothing\n";
  const task = await createTinyTask();
  const workDir = await createTemporaryFolder();
  const workingCopy = join(workDir, "run_1");
  await createWorkingCopy(task, workingCopy);
  await writeFile(join(workingCopy, "test/double.test.js"), edited);
  const sandbox = openUnconfined(process.env.PATH ?? "");
  await verifyTask({ task, workingCopy, workDir, sandbox, signal: new AbortController().signal });
  expect(await readFile(join(workingCopy, "test/double.test.js"), "utf8")).toBe(edited);
  expect(await readFile(join(task.filesDir, "src/double.js"), "utf8")).toBe(BROKEN);
});

it("writes a report that stays XML when a failing test quotes control characters", async () => {
  const result = await verifyAfter((copy) =>
    writeFile(source(copy), 'export const double = () => { throw new Error("\\u0000\\u001b[31m <&>"); };\n'),
  );
  expect(result).toMatchObject({ status: "failed", evidence: { passed: 0, failed: 2 } });
});

it("hands the tests none of our secrets", async () => {
  process.env.CENTSPAN_SECRET_OF_TEST = "leaked";
  onTestFinished(() => {
    delete process.env.CENTSPAN_SECRET_OF_TEST;
  });
  const result = await verifyAfter((copy) =>
    writeFile(source(copy), `if (process.env.CENTSPAN_SECRET_OF_TEST) throw new Error("leak");\n${FIXED}`),
  );
  expect(result.status).toBe("passed");
});

type Posted = { url: URL; authorization: string | undefined; type: string | undefined; body: string };

async function startApi(answers: { status: number; body: string; retryAfter?: string }[]) {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    const { authorization, "content-type": type } = request.headers;
    posted.push({ url: new URL(request.url ?? "", "http://api"), authorization, type, body });
    const answer = answers.shift() ?? { status: 500, body: "no more answers planned" };
    if (answer.retryAfter !== undefined) response.setHeader("retry-after", answer.retryAfter);
    response.writeHead(answer.status).end(answer.body);
  });
  const { url, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 50, random: createRandom(1) };
  const recorder = createApiRecorder({ apiUrl: `${url}/`, apiKey: "cs_api_x", retry });
  const subject = { taskId: "payments/double", runId: "run_1", traceId: "ab".repeat(16) };
  const record = (traceId: string | null = subject.traceId) =>
    recorder.record({ ...subject, traceId }, { report: "<testsuites/>", exitCode: 1 }, new AbortController().signal);
  return { posted, record };
}

it("posts the report with what it is about, again while the store is away, and takes the status from the answer", async () => {
  const { posted, record } = await startApi([
    { status: 503, body: '{"detail":"the warehouse is away"}', retryAfter: "0.01" },
    { status: 201, body: '{"outcomeId":"outcome_1","status":"failed"}' },
  ]);
  expect(await record()).toBe("failed");
  expect(posted).toHaveLength(2);
  expect(posted[1]).toMatchObject({ authorization: "Bearer cs_api_x", type: "application/xml", body: "<testsuites/>" });
  expect(posted[1]?.url.pathname).toBe("/api/v1/outcomes/junit");
  expect(Object.fromEntries(posted[1]?.url.searchParams ?? [])).toEqual({
    task: "payments/double",
    run: "run_1",
    trace: "ab".repeat(16),
    exitCode: "1",
  });
});

it("leaves the trace out where there is none, and says what the API objects to", async () => {
  const { posted, record } = await startApi([{ status: 400, body: '{"detail":"task: is too long"}' }]);
  await expect(record(null)).rejects.toThrow("the Trace API answered 400: task: is too long");
  expect(posted[0]?.url.searchParams.has("trace")).toBe(false);
});

it("does not take something else for an outcome", async () => {
  const { record } = await startApi([{ status: 200, body: "<html>" }]);
  await expect(record()).rejects.toThrow("something else than an outcome");
});
