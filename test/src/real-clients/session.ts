/**
 * Run inside a network namespace that has loopback alone: the whole stack, then one real client after the other through its
 * gateway, each with a key of its own. Prints what became of each as one line of JSON.
 */

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Buckets, CallRow, TraceRow } from "@centspan/model";
import { openWarehouse } from "@centspan/warehouse";
import { callsOf, importHome } from "../histories/run-case.ts";
import { findFreePorts, ROOT, type Running, startProcess, until } from "../stack/processes.ts";
import type { StackConnection } from "../stack/start-stack.ts";
import { CLIENTS, type Client, type ClientReport, sumTokens } from "./clients.ts";

const READY_DEADLINE_MS = 300_000;
const CLIENT_DEADLINE_S = "120";
export const CLIENT_FOLDER = join(ROOT, "test/real-clients");

const dataDir = mkdtempSync(join(tmpdir(), "centspan-real-"));
const stack = startProcess([
  ...["apps/cli/dist/main.js", "up", "--empty", "--data", dataDir],
  ...["--port-base", String(await findFreePorts(8))],
]);
const gateways: Running[] = [];
try {
  await stack.waitFor(/Centspan is ready\./, READY_DEADLINE_MS);
  const connection: StackConnection = JSON.parse(readFileSync(join(dataDir, "connection.json"), "utf8"));
  const translatingUrl = await startTranslatingGateway(connection);
  const reports: ClientReport[] = [];
  for (const client of CLIENTS) {
    process.stderr.write(`real clients: ${client.name}\n`);
    const gatewayUrl = client.isTranslated === true ? translatingUrl : connection.gatewayUrl;
    reports.push(await run(client, { ...connection, gatewayUrl }));
  }
  process.stderr.write("real clients: importing what they left on the disk\n");
  const ledger = await importAll(connection);
  process.stdout.write(`${JSON.stringify({ reports, ledger })}\n`);
} finally {
  for (const { child } of gateways) child.kill("SIGTERM");
  await Promise.all(gateways.map(({ exited }) => exited));
  stack.child.kill("SIGINT");
  await stack.exited;
  rmSync(dataDir, { recursive: true, force: true });
}

/** The engine as if it were a server that speaks Chat Completions alone, behind a gateway of its own. */
async function startTranslatingGateway(connection: StackConnection): Promise<string> {
  const { databaseUrl, otlpUrl, gatewayIngestKey, engineUrl } = connection;
  const file = join(dataDir, "upstreams.json");
  const upstream = { name: "engine", provider: "centspan", protocols: ["openai-chat"], replicas: [{ url: engineUrl }] };
  writeFileSync(file, JSON.stringify({ upstreams: [upstream] }));
  const gateway = startProcess(["apps/gateway/dist/main.js"], {
    DATABASE_URL: databaseUrl,
    CENTSPAN_PORT: String(await findFreePorts(1)),
    CENTSPAN_OTLP_URL: otlpUrl,
    CENTSPAN_INGEST_KEY: gatewayIngestKey,
    CENTSPAN_UPSTREAMS_FILE: file,
  });
  gateways.push(gateway);
  const [line = ""] = await gateway.waitFor(/^\{"ready":true.*$/m, READY_DEADLINE_MS);
  const { url }: { url: string } = JSON.parse(line);
  return url;
}

/** A home and a working folder that hold nothing, no variables but those it needs. */
async function run(client: Client, connection: StackConnection): Promise<ClientReport> {
  const home = join(dataDir, "homes", client.name);
  const work = join(home, "work");
  await mkdir(work, { recursive: true });
  const key = await ask<{ secret: string }>(connection, "/keys", { name: client.name, kind: "gateway" });
  const { command, env, files = {} } = client.prepare({ gatewayUrl: connection.gatewayUrl, key: key.secret });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const { code, output } = await execute(command, { ...env, HOME: home, PATH: process.env.PATH ?? "" }, work);
  const calls = await until(
    `calls of ${client.name}; it said:\n${output}`,
    async () => {
      const { data } = await ask<{ data: CallRow[] }>(connection, `/calls?key=${client.name}&limit=100`);
      return data.length >= client.calls ? data : undefined;
    },
    60_000,
  );
  const sum = calls.reduce((total, { costUsd }) => total + Number(costUsd), 0);
  const traces = await until(
    `runs of ${client.name} that come to ${sum}`,
    async () => {
      const { data } = await ask<{ data: TraceRow[] }>(connection, `/traces?key=${client.name}&limit=100`);
      const found = data.reduce((total, { costUsd }) => total + Number(costUsd), 0);
      return Math.abs(found - sum) < 1e-9 ? data : undefined;
    },
    60_000,
  );
  const history = await importHome(home);
  return {
    name: client.name,
    code,
    counted: listTokens(calls),
    imported: listTokens(callsOf(history.spans)),
    problems: history.receipt.problems,
    output,
    calls: calls.map(({ sessionId, costStatus, costUsd, source }) => ({ sessionId, costStatus, costUsd, source })),
    traces: traces.map(({ costUsd }) => ({ costUsd })),
  };
}

/** All histories in one home, by the command that a person uses, into stores of their own workspace. */
async function importAll(connection: StackConnection): Promise<number[]> {
  const home = join(dataDir, "homes", "everybody");
  for (const { name } of CLIENTS.filter(({ leavesHistory }) => leavesHistory === true)) {
    for (const folder of [".claude/projects", ".codex/sessions"]) {
      const from = join(dataDir, "homes", name, folder);
      if (existsSync(from)) cpSync(from, join(home, folder), { recursive: true });
    }
  }
  // What was written just now may still grow, and its last response with it.
  const before = Date.now() / 1000 - 3600;
  for (const entry of readdirSync(home, { recursive: true, encoding: "utf8" }))
    utimesSync(join(home, entry), before, before);
  const running = startProcess(["apps/cli/dist/main.js", "import", "local", "--data", dataDir, "--json"], {
    HOME: home,
  });
  if ((await running.exited) !== 0) throw new Error(`the import failed:\n${running.output()}`);
  const warehouse = openWarehouse({ url: connection.clickhouseUrl });
  try {
    const sums = await warehouse.sumCosts("local", { groupBy: "model", filter: {}, timeZone: "UTC" });
    return sumTokens(listTokens(sums));
  } finally {
    await warehouse.close();
  }
}

/** As numbers that can be compared: the order in which calls are told is not theirs. */
function listTokens(calls: readonly { buckets: Buckets }[]): number[][] {
  const tokens = calls.map(
    ({ buckets: { input, cacheRead, cacheWrite5m, cacheWrite1h, outputText, outputReasoning } }) => [
      ...[input, cacheRead, cacheWrite5m, cacheWrite1h, outputText, outputReasoning],
    ],
  );
  return tokens.sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

async function ask<T>({ webUrl, apiKey }: StackConnection, path: string, body?: object): Promise<T> {
  const response = await fetch(`${webUrl}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

function execute(
  command: string[],
  env: Record<string, string>,
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn("timeout", [CLIENT_DEADLINE_S, ...command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const take = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
