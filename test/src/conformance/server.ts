/** The server under conformance: the one in CLICKHOUSE_URL, or apps/embedded started on a data directory of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { afterAll, beforeAll } from "vitest";
import { startProcess } from "../stack/processes.ts";

type Server = { url: string; end(): Promise<void> };

const START_DEADLINE_MS = 60_000;

async function openServer(): Promise<Server> {
  const url = process.env.CLICKHOUSE_URL;
  if (url) return { url, end: async () => undefined };
  const dataDir = mkdtempSync(join(tmpdir(), "centspan-conformance-"));
  const ports = ["--clickhouse-port", "0", "--postgres-port", "0"];
  const args = ["--import", "tsx", "apps/embedded/src/main.ts", "--data", dataDir, ...ports];
  const running = startProcess(args, { UV_THREADPOOL_SIZE: "64" });
  const [, clickhouseUrl = ""] = await running.waitFor(/"clickhouseUrl":"([^"]+)"/, START_DEADLINE_MS);
  return {
    url: clickhouseUrl,
    async end() {
      running.child.kill("SIGTERM");
      const code = await running.exited;
      rmSync(dataDir, { recursive: true, force: true });
      if (code !== 0) throw new Error(`the embedded server ended with ${code}:\n${running.output()}`);
    },
  };
}

/** A database that only this file of tests uses, dropped at the end, so that any server can be put through them. */
async function openDatabase(url: string) {
  const database = `conformance_${process.pid}_${Math.trunc(performance.now())}`;
  const admin = createClient({ url });
  await admin.command({ query: `CREATE DATABASE ${database}` });
  const client = createClient({ url, database });
  return {
    database,
    client,
    async drop() {
      await client.close();
      await admin.command({ query: `DROP DATABASE ${database}` });
      await admin.close();
    },
  };
}

type Question = Omit<Parameters<ClickHouseClient["query"]>[0], "query" | "format">;

/** The server and a database on it, there while the tests of the file that asks for it run. */
export function useStore() {
  let server: Server;
  let db: Awaited<ReturnType<typeof openDatabase>>;
  beforeAll(async () => {
    server = await openServer();
    db = await openDatabase(server.url);
  });
  afterAll(async () => {
    await db?.drop();
    await server?.end();
  });

  return {
    get url() {
      return server.url;
    },
    get database() {
      return db.database;
    },
    get client() {
      return db.client;
    },
    async rows<Row>(query: string, rest: Question = {}): Promise<Row[]> {
      const result = await db.client.query({ query, format: "JSONEachRow", ...rest });
      return result.json<Row>();
    },
    /** Without the client. */
    post(query: string, urlParams: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
      const search = new URLSearchParams({ database: db.database, ...urlParams });
      return fetch(`${server.url}/?${search}`, { method: "POST", body: query, ...init });
    },
  };
}
