/**
 * One child process of the stack. It counts as started when it prints its ready line; its log goes to a file.
 * Each child leads its own process group, so that Ctrl-C reaches only the supervisor, which stops all in order;
 * and it has an IPC channel, by whose end it knows that the supervisor died.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { assert, CentspanError } from "@centspan/base";

export type Service = {
  name: string;
  /** Script to run with this Node. */
  script: string;
  args?: string[];
  env: Record<string, string>;
};

/** `how` is said to people: an exit code, or the signal that killed it. */
type Ending = { how: string; lastLines: string[] };

export type RunningService = {
  name: string;
  ready: Record<string, unknown>;
  /** Resolves when the process is gone. */
  exited: Promise<Ending>;
  stop(): Promise<void>;
};

const STOP_PATIENCE_MS = 15_000;
const KEPT_LINES = 15;

/** Starts a service and waits for its ready line; one that ends before it is an error with its last words. */
export async function startService(service: Service, logFile: string): Promise<RunningService> {
  const child = spawn(process.execPath, ["--enable-source-maps", service.script, ...(service.args ?? [])], {
    env: { ...inheritedEnvironment(), ...service.env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
  assert(child.stdout !== null && child.stderr !== null, "a service's output is a pipe");
  const log = createWriteStream(logFile, { flags: "a" });
  const lastLines: string[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on("line", (line) => {
    log.write(`${line}\n`);
    lastLines.push(line);
    if (lastLines.length > KEPT_LINES) lastLines.shift();
  });
  const exited = new Promise<Ending>((resolve) => {
    child.once("close", (code, signal) => {
      log.end();
      resolve({ how: signal === null ? `exit code ${code}` : `killed by ${signal}`, lastLines });
    });
  });
  const ready = await Promise.race([
    readReadyLine(child.stdout),
    exited.then(({ how }) => failStart(service.name, how, lastLines)),
  ]);
  return { name: service.name, ready, exited, stop: () => stopChild(child, exited) };
}

/** Only what programs need to run: no credential of the caller's environment reaches a service. */
function inheritedEnvironment(): Record<string, string> {
  const names = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "NO_COLOR", "LD_LIBRARY_PATH"];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function readReadyLine(stdout: Readable): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    createInterface({ input: stdout }).on("line", (line) => {
      if (line.startsWith('{"ready":true')) resolve(JSON.parse(line));
    });
  });
}

function failStart(name: string, how: string, lastLines: string[]): never {
  const said = lastLines.length === 0 ? "it said nothing" : lastLines.join("\n  ");
  throw new CentspanError("not_ready", `${name} did not start (${how}):\n  ${said}`);
}

async function stopChild(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS);
  await exited;
  clearTimeout(patience);
}
