/**
 * Calls of git that only read. Nothing that a repository's own settings name is run (hooks, monitors, pagers, filters),
 * nothing is fetched, no lock is taken, and what takes longer than its time is given up.
 */
import { spawn, spawnSync } from "node:child_process";

const QUIET = [
  "--no-pager",
  "--no-optional-locks",
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never", "log.showSignature=false"].flatMap(
    (setting) => ["-c", setting],
  ),
];
const MOST_BYTES = 256 * 1024 * 1024;

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
});

/** What it says, or null where it fails or takes too long. */
export function askGit(folder: string, args: readonly string[], patienceMs = 2_000): string | null {
  const options = { env: environment(), timeout: patienceMs, maxBuffer: MOST_BYTES, encoding: "utf8" } as const;
  const { status, stdout } = spawnSync("git", [...QUIET, "-C", folder, ...args], options);
  return status === 0 ? stdout : null;
}

/** One call whose output is the input of another; null where either fails or both take too long. */
export function pipeGit(
  folder: string,
  from: readonly string[],
  to: readonly string[],
  patienceMs: number,
): Promise<string | null> {
  const options = { env: environment(), timeout: patienceMs };
  const first = spawn("git", [...QUIET, "-C", folder, ...from], { ...options, stdio: ["ignore", "pipe", "ignore"] });
  const second = spawn("git", [...QUIET, "-C", folder, ...to], { ...options, stdio: ["pipe", "pipe", "ignore"] });
  first.stdout.pipe(second.stdin);
  // A reader that ends early is said by its exit code.
  second.stdin.on("error", () => undefined);
  const parts: Buffer[] = [];
  second.stdout.on("data", (part: Buffer) => parts.push(part));
  const codes = [first, second].map(
    (child) =>
      new Promise<number | null>((resolve) => {
        child.once("error", () => resolve(null));
        child.once("close", resolve);
      }),
  );
  return Promise.all(codes).then((ended) =>
    ended.every((code) => code === 0) ? Buffer.concat(parts).toString("utf8") : null,
  );
}
