/**
 * The processes that take telemetry in, on a data folder and ports of their own: the embedded stores, a collector and, where
 * asked for, a worker and the web app. Each can be killed and started again, on the same folder and the same ports.
 */
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { KeyKind } from "@centspan/model";
import { findFreePorts, type Running, runProcess, startProcess } from "./processes.ts";

const READY = /^\{"ready":true.*$/m;
const START_DEADLINE_MS = 60_000;
/** What any key that is not said otherwise belongs to. */
export const WORKSPACE = "default";

/** A program of the stack that may be away for a while. */
export type Part = {
  readonly name: string;
  readonly running: Running;
  /** Resolves when it is ready; rejects with its last words when it ends before. */
  start(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
};

function createPart(name: string, args: string[], env: Record<string, string>, niceness = 0): Part {
  let running: Running | undefined;
  return {
    name,
    get running() {
      if (running === undefined) throw new Error(`${name} was never started`);
      return running;
    },
    async start() {
      running = startProcess(args, env);
      // At once, so that its threads and children have it from it.
      if (running.child.pid !== undefined) setPriority(running.child.pid, niceness);
      await running.waitFor(READY, START_DEADLINE_MS);
    },
    async end(signal) {
      if (running === undefined) return;
      running.child.kill(signal);
      await running.exited;
    },
  };
}

export type IngestStack = {
  dataDir: string;
  otlpUrl: string;
  grpcUrl: string;
  webUrl: string;
  clickhouseUrl: string;
  /** Where both stores are, as environment variables. */
  stores: { CLICKHOUSE_URL: string; DATABASE_URL: string };
  store: Part;
  collector: Part;
  worker: Part;
  web: Part;
  /** A new key's secret. */
  createKey(name: string, kind: KeyKind): Promise<string>;
  query<Row = Record<string, unknown>>(sql: string): Promise<Row[]>;
  /** The answer to a query, whatever its format, in a file. */
  download(sql: string, file: string): Promise<void>;
  end(): Promise<void>;
};

/**
 * Starts the stores, with their tables, and the collector; the others stand ready to be started. `niceness` is theirs, from
 * 0 to 19: with the most they get what others leave of the processor.
 */
export async function startIngestStack(collectorEnv: Record<string, string> = {}, niceness = 0): Promise<IngestStack> {
  const dataDir = mkdtempSync(join(tmpdir(), "centspan-ingest-"));
  const [clickhouse = 0, postgres = 0, otlp = 0, grpc = 0, worker = 0, web = 0] = await findPorts(6);
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  const store = createPart(
    "embedded",
    [
      "apps/embedded/dist/main.js",
      ...["--data", join(dataDir, "stores")],
      ...["--clickhouse-port", String(clickhouse)],
      ...["--postgres-port", String(postgres)],
    ],
    { UV_THREADPOOL_SIZE: "64" },
    niceness,
  );
  await store.start();
  const ready: { clickhouseUrl: string; databaseUrl: string } = JSON.parse(
    READY.exec(store.running.output())?.[0] ?? "",
  );
  const clickhouseUrl = new URL("/centspan", ready.clickhouseUrl).href;
  const stores = { CLICKHOUSE_URL: clickhouseUrl, DATABASE_URL: ready.databaseUrl };
  const parts = {
    store,
    collector: createPart(
      "collector",
      ["--enable-source-maps", "apps/collector/dist/main.js"],
      {
        ...stores,
        CENTSPAN_PORT: String(otlp),
        CENTSPAN_GRPC_PORT: String(grpc),
        CENTSPAN_SPOOL_DIR: join(dataDir, "spool"),
        CENTSPAN_BLOCK_FOLDER: join(dataDir, "blocks"),
        CENTSPAN_DEFAULT_WORKSPACE: WORKSPACE,
        ...collectorEnv,
      },
      niceness,
    ),
    worker: createPart("worker", ["--enable-source-maps", "apps/worker/dist/main.js"], {
      ...stores,
      CENTSPAN_PORT: String(worker),
    }),
    web: createPart("web", ["apps/web/.next/standalone/apps/web/start.mjs"], {
      ...stores,
      PORT: String(web),
      HOSTNAME: "127.0.0.1",
      NODE_ENV: "production",
    }),
  };
  const stack: IngestStack = {
    dataDir,
    otlpUrl: urlOf(otlp),
    grpcUrl: urlOf(grpc),
    webUrl: urlOf(web),
    clickhouseUrl,
    stores,
    ...parts,
    async createKey(name, kind) {
      const { code, output } = await runProcess(
        ["apps/cli/dist/main.js", "keys", "create", name, "--kind", kind],
        stores,
      );
      const secret = /cs_[a-z-]+_\S+/.exec(output)?.[0];
      if (code !== 0 || secret === undefined) throw new Error(`no key was made:\n${output}`);
      return secret;
    },
    query: async (sql) => {
      const text = await (await askStore(ready.clickhouseUrl, sql)).text();
      return text === ""
        ? []
        : text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line));
    },
    download: async (sql, file) => {
      const { body } = await askStore(ready.clickhouseUrl, sql);
      await pipeline(body ?? [], createWriteStream(file));
    },
    async end() {
      for (const part of [parts.web, parts.worker, parts.collector, parts.store]) await part.end("SIGTERM");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  try {
    const migrated = await runProcess(["apps/cli/dist/main.js", "migrate"], stores);
    if (migrated.code !== 0) throw new Error(`the tables were not made:\n${migrated.output}`);
    await parts.collector.start();
  } catch (error) {
    await stack.end();
    throw error;
  }
  return stack;
}

async function findPorts(count: number): Promise<number[]> {
  const base = await findFreePorts(count);
  return Array.from({ length: count }, (_, offset) => base + offset);
}

async function askStore(url: string, sql: string): Promise<Response> {
  const search = new URLSearchParams({ database: "centspan", default_format: "JSONEachRow" });
  const response = await fetch(`${url}/?${search}`, { method: "POST", body: sql });
  if (!response.ok) throw new Error(`${response.status} from the store: ${await response.text()}\n${sql}`);
  return response;
}
