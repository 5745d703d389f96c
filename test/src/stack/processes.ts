/** Child processes of the tests: start, wait for what they print, stop by pid. Nothing here knows what they do. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export type Running = {
  child: ChildProcess;
  /** Everything printed so far, both streams. */
  output(): string;
  /** Resolves with the first match; rejects when the process ends first or the deadline passes. */
  waitFor(pattern: RegExp, deadlineMs: number): Promise<RegExpExecArray>;
  exited: Promise<number | null>;
};

export function startProcess(args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  const waiters = new Set<() => void>();
  const onData = (chunk: Buffer): void => {
    text += chunk.toString();
    for (const wake of waiters) wake();
  };
  child.stdout.on("data", onData);
  child.stderr.on("data", onData);
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      resolve(code);
      for (const wake of waiters) wake();
    });
  });
  const waitFor = (pattern: RegExp, deadlineMs: number): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(deadline);
        waiters.delete(look);
        finish();
      };
      const look = (): void => {
        const match = pattern.exec(text);
        if (match !== null) settle(() => resolve(match));
        else if (child.exitCode !== null) settle(() => reject(new Error(`ended with ${child.exitCode}:\n${text}`)));
      };
      const deadline = setTimeout(
        () => settle(() => reject(new Error(`no ${pattern} within ${deadlineMs} ms:\n${text}`))),
        deadlineMs,
      );
      waiters.add(look);
      look();
    });
  return { child, output: () => text, waitFor, exited };
}

/** Runs to the end; resolves with exit code and output. */
export async function runProcess(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  const running = startProcess(args, env);
  running.child.stdin?.end();
  const code = await running.exited;
  return { code, output: running.output() };
}

/** `count` consecutive ports that are free now; another process could take one before it is used. */
export async function findFreePorts(count: number): Promise<number> {
  for (let base = 20_000 + (process.pid % 1000) * 20; base < 60_000; base += count) {
    const free = await Promise.all(Array.from({ length: count }, (_, offset) => isFree(base + offset)));
    if (free.every(Boolean)) return base;
  }
  throw new Error("no free ports");
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Polls until `probe` gives a value; the deadline is a safety net, not a measurement. */
export async function until<T>(what: string, probe: () => Promise<T | undefined>, deadlineMs = 30_000): Promise<T> {
  const endAt = Date.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (Date.now() > endAt) throw new Error(`${what}: not within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
