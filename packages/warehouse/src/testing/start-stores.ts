/**
 * Test set-up: a ClickHouse for all test files of a run. The one that CLICKHOUSE_URL names, or else an embedded one of its
 * own, in a temporary folder, on free ports.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    clickhouseUrl: string;
  }
}

const EMBEDDED = fileURLToPath(new URL("../../../../apps/embedded/", import.meta.url));

export default async function startStores(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env.CLICKHOUSE_URL;
  if (named !== undefined) {
    project.provide("clickhouseUrl", named);
    return undefined;
  }
  await buildEmbedded();
  const data = mkdtempSync(join(tmpdir(), "centspan-warehouse-"));
  const ports = [await findFreePort(), await findFreePort()];
  const args = ["--data", data, "--clickhouse-port", `${ports[0]}`, "--postgres-port", `${ports[1]}`];
  const child = spawn(process.execPath, [join(EMBEDDED, "dist/main.js"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const message: { ready?: boolean; clickhouseUrl?: string } = line.startsWith("{") ? JSON.parse(line) : {};
    if (!message.ready || message.clickhouseUrl === undefined) continue;
    project.provide("clickhouseUrl", message.clickhouseUrl);
    return async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      rmSync(data, { recursive: true, force: true });
    };
  }
  throw new Error(`the embedded stores ended before they were ready (exit code ${child.exitCode})`);
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
