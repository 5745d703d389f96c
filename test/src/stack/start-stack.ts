/** The stack that the tests of a project share, and what they are told of it: `inject("connection")`. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findFreePorts, startProcess } from "./processes.ts";

export type StackConnection = {
  webUrl: string;
  gatewayUrl: string;
  otlpUrl: string;
  otlpGrpcUrl: string;
  engineUrl: string;
  clickhouseUrl: string;
  databaseUrl: string;
  apiKey: string;
  ingestKey: string;
  gatewayIngestKey: string;
  gatewayKey: string;
};

declare module "vitest" {
  export interface ProvidedContext {
    connection: StackConnection;
    dataDir: string;
    portBase: number;
  }
}

const READY_DEADLINE_MS = 300_000;

/** Starts the whole stack once for all tests of a project, exactly as `npm start` does with these arguments. */
export async function startStack(project: TestProject, args: readonly string[]): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), "centspan-e2e-"));
  const portBase = await findFreePorts(8);
  const stack = startProcess([
    "apps/cli/dist/main.js",
    "up",
    ...args,
    "--data",
    dataDir,
    "--port-base",
    String(portBase),
  ]);
  await stack.waitFor(/Centspan is ready\./, READY_DEADLINE_MS);
  const file = join(dataDir, "connection.json");
  if ((statSync(file).mode & 0o777) !== 0o600) throw new Error("connection.json is readable by others");
  const connection: StackConnection = JSON.parse(readFileSync(file, "utf8"));
  project.provide("connection", connection);
  project.provide("dataDir", dataDir);
  project.provide("portBase", portBase);
  return async () => {
    stack.child.kill("SIGINT");
    const code = await stack.exited;
    rmSync(dataDir, { recursive: true, force: true });
    if (code !== 0) throw new Error(`the stack ended with ${code} after Ctrl-C:\n${stack.output()}`);
  };
}
