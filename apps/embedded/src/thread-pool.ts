/**
 * Every running chDB query occupies one libuv thread for as long as it runs, and libuv reads its pool size once, before
 * an ES module's first line runs. A process that was started with a smaller pool therefore starts itself again with the
 * right one, hands signals on and ends with it. A supervisor saves that extra process by setting UV_THREADPOOL_SIZE.
 */
import { spawn } from "node:child_process";

/** Query and insert lanes, the control session, and some left for files and compression. */
export const THREADS = 64;

const FORWARDED: NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP"];

export function hasEnoughThreads(env: NodeJS.ProcessEnv): boolean {
  return Number(env.UV_THREADPOOL_SIZE) >= THREADS;
}

/** Runs the same command again with a large enough pool; resolves to its exit code. */
export function runWithEnoughThreads(): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, UV_THREADPOOL_SIZE: String(THREADS) },
    // The channel carries nothing: its end tells the child that this process is gone, however it went.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  process.once("disconnect", () => child.kill("SIGTERM"));
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
