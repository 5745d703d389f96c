/**
 * vitest's globalSetup: the stores that CLICKHOUSE_URL and DATABASE_URL name, or else embedded ones of the run's own, in a
 * temporary folder, on free ports. Tests find their addresses by inject("clickhouseUrl") and inject("databaseUrl").
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    clickhouseUrl: string;
    databaseUrl: string;
  }
}

const EMBEDDED = fileURLToPath(new URL("../../../apps/embedded/", import.meta.url));

type Stores = Pick<ProvidedContext, "clickhouseUrl" | "databaseUrl">;

export async function startStores(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { CLICKHOUSE_URL, DATABASE_URL } = process.env;
  if (CLICKHOUSE_URL !== undefined && DATABASE_URL !== undefined) {
    project.provide("clickhouseUrl", CLICKHOUSE_URL);
    project.provide("databaseUrl", DATABASE_URL);
    return undefined;
  }
  await buildEmbedded();
  const data = mkdtempSync(join(tmpdir(), "centspan-test-"));
  const ports = ["--clickhouse-port", `${await findFreePort()}`, "--postgres-port", `${await findFreePort()}`];
  const child = spawn(process.execPath, [join(EMBEDDED, "dist/main.js"), "--data", data, ...ports], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(data, { recursive: true, force: true });
  };
  const stores = await readReadyLine(child);
  if (!stores) {
    await stop();
    throw new Error(`the embedded stores ended before they were ready (exit code ${child.exitCode})`);
  }
  project.provide("clickhouseUrl", CLICKHOUSE_URL ?? stores.clickhouseUrl);
  project.provide("databaseUrl", DATABASE_URL ?? stores.databaseUrl);
  return stop;
}

async function readReadyLine(child: ChildProcess): Promise<Stores | null> {
  if (!child.stdout) return null;
  for await (const line of createInterface({ input: child.stdout })) {
    const message: Partial<Stores> = line.startsWith("{") ? JSON.parse(line) : {};
    const { clickhouseUrl, databaseUrl } = message;
    if (clickhouseUrl !== undefined && databaseUrl !== undefined) return { clickhouseUrl, databaseUrl };
  }
  return null;
}

async function buildEmbedded(): Promise<void> {
  if (existsSync(join(EMBEDDED, "dist/main.js"))) return;
  const build = spawn("npm", ["run", "build"], { cwd: EMBEDDED, stdio: "inherit" });
  const [code] = await once(build, "exit");
  if (code !== 0) throw new Error("apps/embedded does not build");
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
