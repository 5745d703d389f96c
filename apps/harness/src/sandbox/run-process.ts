/**
 * Runs a program for the agent: in the package's folder, with an environment that holds nothing secret, within a time
 * limit, with bounded output, in a process group of its own that is gone when the call returns.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { type CutOutput, createOutputBuffer, type OutputBuffer } from "./cut-output.ts";

export type ProcessOptions = {
  cwd: string;
  /** Value of PATH, the only variable taken over from our own environment. */
  searchPath: string;
  /** More variables; none of them secret. */
  environment?: Readonly<Record<string, string>>;
  timeLimitMs: number;
  signal: AbortSignal;
  /** Takes what the program writes. */
  output?: OutputBuffer;
};

export type ProcessResult = { exitCode: number; timedOut: boolean; output: CutOutput };

/** What shells report for a program that `timeout` had to stop. */
const TIMED_OUT_EXIT_CODE = 124;
/** How long a closed group may keep its pipes before we stop listening (a daemon that left the group holds them). */
const PIPE_GRACE_MS = 500;

export async function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessResult> {
  options.signal.throwIfAborted();
  const output = options.output ?? createOutputBuffer();
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: {
      ...options.environment,
      PATH: options.searchPath,
      HOME: options.cwd,
      LANG: "C.UTF-8",
      NO_COLOR: "1",
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", output.append);
  child.stderr.on("data", output.append);
  const closed = once(child, "close");
  closed.catch(() => undefined);

  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, options.timeLimitMs);
  const onAbort = () => killGroup(child);
  options.signal.addEventListener("abort", onAbort, { once: true });
  try {
    const [code, signal]: [number | null, NodeJS.Signals | null] = await exitOf(child);
    killGroup(child);
    await Promise.race([closed, delay(PIPE_GRACE_MS)]);
    options.signal.throwIfAborted();
    const exitCode = timedOut ? TIMED_OUT_EXIT_CODE : (code ?? 128 + constants.signals[signal ?? "SIGKILL"]);
    return { exitCode, timedOut, output: output.finish() };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", onAbort);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

const exitOf = (child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> =>
  new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve([code, signal]));
  });

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // ESRCH: the whole group is gone already, which is what was wanted.
  }
}
