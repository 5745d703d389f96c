/**
 * Whether the task is done: the original tests are really run against what the agent left, out of its reach.
 * Must not: look at what the model said or at its own test runs. The verdict is the report's and the exit code's.
 */
import { lstat, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../sandbox/file-error.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Task } from "../task/load-task.ts";
import { createJudgedCopy } from "./judged-copy.ts";

export type TestEvidence = { report: string; exitCode: number };

export type VerifyOptions = {
  task: Task;
  workingCopy: string;
  /** Folder for the judged copy and the report; both are gone afterwards. */
  workDir: string;
  sandbox: Sandbox;
  signal: AbortSignal;
};

/** One test file may take this long; then the runner itself stops it and reports it as failed. */
const FILE_TIME_LIMIT_MS = 30_000;
const TIME_LIMIT_MS = 90_000;

/**
 * Loaded before the tests: code under test that ends the process early would otherwise pass every test that had not
 * run yet, since the runner counts a file that exits with 0 as passed. `process.exit` goes through `reallyExit`; the
 * normal end of a process does not.
 */
const EXIT_GUARD = `data:text/javascript,${encodeURIComponent(
  "const exit = process.reallyExit; process.reallyExit = (code) => exit.call(process, code || 70);",
)}`;

/** What a report looks like when the runner had to be killed before it wrote one: no case, so nobody can read a pass. */
const NO_REPORT = '<?xml version="1.0" encoding="utf-8"?>\n<testsuites></testsuites>\n';

/** Control characters, which an assertion may quote and XML cannot hold (XML 1.0, 2.2); the reporter leaves them in. */
const NOT_XML = /(?![\t\n\r])\p{Cc}/gu;

export async function verifyTask(options: VerifyOptions): Promise<TestEvidence> {
  const folder = await realpath(await mkdtemp(join(options.workDir, "verify-")));
  try {
    const judged = join(folder, "package");
    const reportFile = join(folder, "report.xml");
    const tests = await createJudgedCopy(options.task, options.workingCopy, judged);
    const reporter = ["--test-reporter=junit", `--test-reporter-destination=${reportFile}`];
    const { exitCode, timedOut } = await options.sandbox.run(
      "node",
      ["--import", EXIT_GUARD, "--test", `--test-timeout=${FILE_TIME_LIMIT_MS}`, ...reporter, ...tests],
      { folder, cwd: judged, timeLimitMs: TIME_LIMIT_MS, signal: options.signal },
    );
    return { report: timedOut ? NO_REPORT : await readReport(reportFile), exitCode };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(file: string): Promise<string> {
  try {
    // Whatever the tests put in its place leads nowhere.
    if (!(await lstat(file)).isFile()) return NO_REPORT;
    return (await readFile(file, "utf8")).replace(NOT_XML, "\ufffd");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return NO_REPORT;
    throw error;
  }
}
