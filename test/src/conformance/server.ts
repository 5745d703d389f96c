/** The server under conformance: the one in CLICKHOUSE_URL, or apps/embedded started on a data directory of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { startProcess } from "../stack/processes.ts";

export type Server = { url: string; end(): Promise<void> };

const START_DEADLINE_MS = 60_000;

export async function openServer(): Promise<Server> {
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
export async function openDatabase(url: string) {
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
