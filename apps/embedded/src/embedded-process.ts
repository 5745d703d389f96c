/** For tests: the real process, started from source, found ready by its own line, ended by pid. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export type EmbeddedProcess = {
  child: ChildProcess;
  clickhouseUrl: string;
  databaseUrl: string;
  /** Ends it and waits until it is gone; the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

export type Ended = { code: number | null; stderr: string };

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

/** Resolves to the running process, or to how it ended if it never got ready. */
export function launch(args: string[], env: Record<string, string> = {}): Promise<EmbeddedProcess | Ended> {
  const child = spawn(process.execPath, ["--import", "tsx", MAIN, ...args], {
    env: { ...process.env, UV_THREADPOOL_SIZE: "64", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return new Promise((resolve) => {
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.once("close", (code) => resolve({ code, stderr }));
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
      if (!stdout.endsWith("\n")) return;
      const { clickhouseUrl, databaseUrl } = JSON.parse(stdout);
      const end = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return exited;
      };
      resolve({ child, clickhouseUrl, databaseUrl, end });
    });
  });
}

export async function launchReady(args: string[], env: Record<string, string> = {}): Promise<EmbeddedProcess> {
  const result = await launch(args, env);
  if ("child" in result) return result;
  throw new Error(`ended with ${result.code}: ${result.stderr}`);
}
