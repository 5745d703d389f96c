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

export type ResumeFigures = { resumeRuns: number; resumeMismatches: number; doubleBilled: number; killed: number };

export async function measureResume(
  stack: ReplayStack,
  task: string,
  runs: number,
  seed: number,
): Promise<ResumeFigures> {
  const workDir = mkdtempSync(join(tmpdir(), "centspan-resume-"));
  const args = ["run", "--task", task, "--model", MODEL];
  const random = createRandom(seed);
  try {
    const beganMs = performance.now();
    const { runId: _, ...expected } = await startHarness(stack, workDir, args).finish();
    const wholeMs = performance.now() - beganMs;
    const figures: ResumeFigures = { resumeRuns: runs, resumeMismatches: 0, doubleBilled: 0, killed: 0 };
    for (let run = 0; run < runs; run++) {
      const before = await stack.countCalls();
      const { result, wasKilled } = await killAndResume(stack, workDir, args, random.next() * wholeMs);
      const { runId: __, ...ended } = result;
      if (JSON.stringify(ended) !== JSON.stringify(expected)) figures.resumeMismatches += 1;
      figures.doubleBilled += Math.max(0, (await stack.countCalls()) - before - expected.turns);
      figures.killed += wasKilled ? 1 : 0;
    }
    return figures;
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

/** A kill before the run has an id leaves nothing to go on with: then it is begun again. */
async function killAndResume(
  stack: ReplayStack,
  workDir: string,
  args: readonly string[],
  afterMs: number,
): Promise<{ result: TaskResult; wasKilled: boolean }> {
  const first = startHarness(stack, workDir, args);
  await Promise.race([sleep(afterMs), first.running.exited]);
  const wasKilled = first.running.child.kill("SIGKILL");
  await first.running.exited;
  const finished = first.lines().find((line) => line.status !== undefined);
  const runId = first.lines().find((line) => line.type === "run")?.runId;
  if (finished !== undefined || runId === undefined) {
    return { result: await (finished === undefined ? startHarness(stack, workDir, args) : first).finish(), wasKilled };
  }
  return { result: await startHarness(stack, workDir, ["run", "--resume", runId]).finish(), wasKilled };
}
