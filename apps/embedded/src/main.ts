/**
 * Starts both stores, says so on stdout in one line of JSON, and stops both on SIGTERM or SIGINT. Everything else it
 * says goes to stderr. If one store is lost, the process ends with an error and the next start recovers both.
 */
import { mkdirSync, realpathSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import { acquireDataLock } from "./data-lock.ts";
import { Engine } from "./engine.ts";
import { createHttpServer } from "./http-server.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";
import { listenOn } from "./ports.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { hasEnoughThreads, runWithEnoughThreads } from "./thread-pool.ts";

const DRAIN_LIMIT_MS = 5000;

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (!options) {
    process.stdout.write(USAGE);
    return 0;
  }
  return hasEnoughThreads(process.env) ? serve(options) : runWithEnoughThreads();
}

async function serve(options: Options): Promise<number> {
  const stopAsked = untilStopAsked();
  // Others may pass, to what is theirs (PostgreSQL under root), but not look; what is secret is closed itself.
  mkdirSync(options.dataDir, { recursive: true, mode: 0o711 });
  const dataDir = realpathSync(options.dataDir);
  await acquireDataLock(dataDir);
  let engine: Engine | undefined;
  let postgres: Postgres | undefined;
  const http = createHttpServer(() => engine, {
    password: options.clickhousePassword,
    maxBodyBytes: options.maxBodyBytes,
    isLoopback: /^(127\.|localhost$|::1$)/.test(options.host),
  });
  try {
    const clickhousePort = await listenOn(http, options.clickhousePort, options.host, "--clickhouse-port");
    postgres = await startPostgres(dataDir, options.postgresPort);
    engine = await Engine.start(dataDir);
    const clickhouseUrl = `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${clickhousePort}`;
    process.stdout.write(`${JSON.stringify({ ready: true, clickhouseUrl, databaseUrl: postgres.url })}\n`);
    const lost = postgres.exited.then(() => "PostgreSQL is gone; its log is postgres.log in the data directory");
    const problem = await Promise.race([stopAsked, lost]);
    if (problem) process.stderr.write(`centspan embedded: ${problem}\n`);
    return problem ? 1 : 0;
  } finally {
    const drained = new Promise((resolve) => http.close(resolve));
    http.closeIdleConnections();
    const force = setTimeout(() => http.closeAllConnections(), DRAIN_LIMIT_MS);
    await drained;
    clearTimeout(force);
    await Promise.all([engine?.close(), postgres?.stop()]);
  }
}

/** Also when whoever started this process with an IPC channel is gone, so that a killed parent leaves nothing behind. */
function untilStopAsked(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => resolve(undefined));
    process.once("disconnect", () => resolve(undefined));
  });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const text = error instanceof CentspanError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`centspan embedded: ${text}\n`);
    process.exit(1);
  },
);
