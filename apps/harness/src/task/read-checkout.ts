/**
 * Of which repository, branch and commit a task's files are, where they are a checkout of their own: what outcomes of code hosts
 * are linked by. Asks git, which changes nothing; without git, or a repository, nothing is said.
 */
import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { promisify } from "node:util";
import type { SpanAttributes } from "@centspan/telemetry";
import type { Task } from "./load-task.ts";

const run = promisify(execFile);
const LIMIT_MS = 5_000;

type Checkout = Pick<
  SpanAttributes,
  "vcs.repository.url.full" | "vcs.ref.head.name" | "vcs.ref.head.type" | "vcs.ref.head.revision"
>;

export async function readCheckout(
  { dir, filesDir }: Pick<Task, "dir" | "filesDir">,
  searchPath: string,
): Promise<Checkout> {
  const ask = async (...args: string[]): Promise<string | undefined> => {
    const { stdout } = await run("git", ["-C", filesDir, ...args], {
      timeout: LIMIT_MS,
      // Nothing of the machine's own settings, and no question to anybody.
      env: { PATH: searchPath, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
    });
    return stdout.trim() || undefined;
  };
  const tell = (...args: string[]): Promise<string | undefined> => ask(...args).catch(() => undefined);
  const top = await tell("rev-parse", "--show-toplevel");
  const own = await Promise.all([dir, filesDir].map((folder) => realpath(folder)));
  // A task that lies in somebody else's repository, as the bundled ones do, is no work on that.
  if (top === undefined || !own.includes(top)) return {};
  const [url, branch, revision] = await Promise.all([
    tell("remote", "get-url", "origin"),
    tell("symbolic-ref", "--short", "HEAD"),
    tell("rev-parse", "HEAD"),
  ]);
  return {
    "vcs.repository.url.full": url && withoutSecret(url),
    "vcs.ref.head.name": branch,
    "vcs.ref.head.type": branch && "branch",
    "vcs.ref.head.revision": revision,
  };
}

/** Addresses of remotes may carry a token. */
const withoutSecret = (url: string): string => url.replace(/^([a-z+]+:\/\/)[^@/]*@/, "$1");
