/**
 * Runs of a bundled task whose process is killed at a random moment and which are then gone on with: whether they end as
 * the run that nobody killed, and whether the engine was asked for any turn twice.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "@centspan/base";
import { startProcess } from "../../stack/processes.ts";
import type { ReplayStack } from "./replay-stack.ts";

export type TaskResult = { runId: string; status: string; stop: string; turns: number; finalText: string };
type Line = Partial<TaskResult> & {
  type?: string;
  /** Of a turn. */
  usage?: { inputTokens: number; cachedTokens: number } | null;
};

const MODEL = "scripted-strong";

/** The harness's command line, with what it printed as JSON. */
export function startHarness(stack: ReplayStack, workDir: string, args: readonly string[]) {
  const running = startProcess(["apps/harness/dist/main.js", ...args, "--json", "--unsafe"], {
    CENTSPAN_GATEWAY_URL: stack.gatewayUrl,
    CENTSPAN_GATEWAY_KEY: stack.key,
    CENTSPAN_WORK_DIR: workDir,
  });
  running.child.stdin?.end();
  const lines = (): Line[] =>
    running
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line));
  return {
    running,
    lines,
    async finish(): Promise<TaskResult> {
      await running.exited;
      const result = lines().find((line) => line.status !== undefined);
      if (result === undefined) throw new Error(`the run has no result:\n${running.output()}`);
      const { runId = "", status = "", stop = "", turns = 0, finalText = "" } = result;
      return { runId, status, stop, turns, finalText };
    },
  };
}

export type ResumeFigures = { resumeRuns: number; resumeMismatches: number; doubleBilled: number };

const STARTED = /^\{"type":"run",.*$/m;
const START_DEADLINE_MS = 60_000;
/** A run that ends before it is killed says nothing; so many of those for each that counts. */
const MOST_SURVIVORS = 10;

export async function measureResume(
  stack: ReplayStack,
  task: string,
  runs: number,
  seed: number,
): Promise<ResumeFigures> {
  const workDir = mkdtempSync(join(tmpdir(), "centspan-resume-"));
  const random = createRandom(seed);
  const figures: ResumeFigures = { resumeRuns: 0, resumeMismatches: 0, doubleBilled: 0 };
  const start = async () => {
    const harness = startHarness(stack, workDir, ["run", "--task", task, "--model", MODEL]);
    await harness.running.waitFor(STARTED, START_DEADLINE_MS);
    return { harness, beganMs: performance.now() };
  };
  try {
    const undisturbed = await start();
    const { runId: _, ...expected } = await undisturbed.harness.finish();
    let longestMs = performance.now() - undisturbed.beganMs;
    for (let tries = 0; figures.resumeRuns < runs; tries++) {
      if (tries > runs * MOST_SURVIVORS) throw new Error(`${tries} runs ended before they were killed`);
      const before = await stack.countCalls();
      const { harness, beganMs } = await start();
      await Promise.race([sleep(random.next() * longestMs), harness.running.exited]);
      if (!harness.running.child.kill("SIGKILL")) {
        longestMs = Math.min(longestMs, performance.now() - beganMs);
        continue;
      }
      await harness.running.exited;
      const runId = harness.lines().find(({ type }) => type === "run")?.runId ?? "";
      const { runId: __, ...ended } = await startHarness(stack, workDir, ["run", "--resume", runId]).finish();
      figures.resumeRuns += 1;
      if (JSON.stringify(ended) !== JSON.stringify(expected)) figures.resumeMismatches += 1;
      figures.doubleBilled += Math.max(0, (await stack.countCalls()) - before - expected.turns);
    }
    return figures;
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}
