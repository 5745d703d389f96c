/**
 * A workspace of its own of the shared stack, with an engine on time that goes on by itself: what it does is the same at each run,
 * and everything else is as it is.
 */
import { type Control, openControl } from "@centspan/control";
import { startVirtualEngine, type VirtualEngine } from "@centspan/engine/virtual";
import type { Recommendation } from "@centspan/model";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { inject } from "vitest";
import { runProcess, until } from "./processes.ts";

export const SERVICE = "centspan-engine";
const ALL_TIME = { fromNs: 0n, toNs: 2n ** 63n - 1n };
/** Of one request to the collector. */
const SPANS_PER_EXPORT = 1_000;

export type OptimizerRun = { stop: string; filed: string[]; applied: string[]; finalText: string; tools: string[] };

export type EngineWorkspace = {
  start(settings: Record<string, string>, originNs: bigint): Promise<VirtualEngine>;
  /** Sends what engines said since the last time, and waits until it can be asked for. */
  deliver(engine: VirtualEngine): Promise<void>;
  /** The bundled agent, once, as people start it. */
  optimize(...args: string[]): Promise<OptimizerRun>;
  /** The Trace API, as a person with a key. */
  ask<T>(method: "GET" | "POST", path: string, body?: object): Promise<T>;
  recommendation(id: string): Promise<Recommendation>;
  close(): Promise<void>;
};

export async function openEngineWorkspace(workspace: string): Promise<EngineWorkspace> {
  const { clickhouseUrl, databaseUrl, webUrl, otlpUrl, gatewayUrl, gatewayKey } = inject("connection");
  const control: Control = openControl({ url: databaseUrl });
  const warehouse: Warehouse = openWarehouse({ url: clickhouseUrl, books: control });
  await control.ensureWorkspace("local", { id: workspace, name: workspace });
  const create = async (name: string, kind: "api" | "ingest", rules = {}): Promise<string> =>
    (await control.createKey({ workspace, name, kind, team: null, rules }, "tests")).secret;
  const ingestKey = await create("ingest", "ingest");
  const personKey = await create("person", "api");
  const agentKey = await create("agent", "api", { mcp: { write: true } });
  const exporter = new OTLPTraceExporter({
    url: `${otlpUrl}/v1/traces`,
    headers: { authorization: `Bearer ${ingestKey}` },
  });
  let steps = 0;
  let requests = 0;
  const ask = async <T>(method: "GET" | "POST", path: string, body?: object): Promise<T> => {
    const response = await fetch(`${webUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${personKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    start: startVirtualEngine,
    async deliver(engine) {
      const spans = engine.takeSpans();
      for (let at = 0; at < spans.length; at += SPANS_PER_EXPORT)
        await new Promise<void>((resolve, reject) =>
          exporter.export(spans.slice(at, at + SPANS_PER_EXPORT), ({ error }) => (error ? reject(error) : resolve())),
        );
      steps += spans.filter(({ name }) => name === "inference.decode.step").length;
      requests += spans.filter(({ name }) => name === "inference.decode").length;
      await until(`${steps} steps and ${requests} requests`, async () => {
        const [stored, asked] = await Promise.all([
          warehouse.listEngineSteps(workspace, ALL_TIME, 1_000_000),
          warehouse.listEngineRequests(workspace, SERVICE, ALL_TIME, 1_000_000),
        ]);
        return stored.length === steps && asked.length === requests ? true : undefined;
      });
    },
    async optimize(...args) {
      const { code, output } = await runProcess(
        ["apps/harness/dist/main.js", "optimize", "--model", "scripted-optimizer", "--json", ...args],
        {
          CENTSPAN_GATEWAY_URL: gatewayUrl,
          CENTSPAN_GATEWAY_KEY: gatewayKey,
          CENTSPAN_API_URL: webUrl,
          CENTSPAN_API_KEY: agentKey,
          CENTSPAN_WORK_DIR: `${inject("dataDir")}/work`,
        },
      );
      if (code !== 0) throw new Error(`the agent ended with ${code}:\n${output}`);
      const lines = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const tools = lines.flatMap(({ type, calls }) => (type === "turn" ? calls : []));
      return { ...lines.at(-1), tools };
    },
    ask,
    recommendation: (id) => ask("GET", `/recommendations/${id}`),
    async close() {
      await Promise.all([warehouse.close(), control.close()]);
    },
  };
}
