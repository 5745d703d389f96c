/** What a run needs from outside, made once per process from the settings. */
import { mkdir, realpath } from "node:fs/promises";
import { createRandom } from "@centspan/base";
import { startTelemetry, type Telemetry } from "@centspan/telemetry";
import { trace } from "@opentelemetry/api";
import { type Settings, searchPathOf } from "./config.ts";
import { EMPTY_LIBRARY, readLibrary } from "./library/read-library.ts";
import type { RunServices } from "./loop/run-task.ts";
import type { Mechanisms } from "./mechanisms.ts";
import { chooseSandbox, type SandboxChoice } from "./sandbox/open-sandbox.ts";
import { connectServers } from "./tools/mcp/connect-server.ts";
import { readServerSpecs } from "./tools/mcp/server-spec.ts";
import { createResponsesClient } from "./transport/responses-client.ts";
import type { RetryPolicy } from "./transport/retry.ts";
import { localRecorder } from "./verify/read-evidence.ts";
import { createApiRecorder } from "./verify/record-outcome.ts";

export type LoopSettings = {
  mechanisms: Mechanisms;
  windowTokens: number;
  /** File with MCP servers, and folder with skills, plug-ins and memory; null without. */
  mcp: string | null;
  library: string | null;
};

export type ServiceOptions = {
  settings: Settings;
  version: string;
  connections: number;
  keepCopies: RunServices["keepCopies"];
  sandbox: Pick<SandboxChoice, "kind" | "image" | "unsafe">;
  loop: LoopSettings;
  signal: AbortSignal;
};

export type OpenServices = { services: RunServices; close(): Promise<void> };

export async function openServices(options: ServiceOptions): Promise<OpenServices> {
  const { settings, version, keepCopies, signal } = options;
  const { mechanisms, windowTokens } = options.loop;
  const searchPath = searchPathOf(settings);
  await mkdir(settings.CENTSPAN_WORK_DIR, { recursive: true });
  // Paths of working copies are compared with real ones.
  const workDir = await realpath(settings.CENTSPAN_WORK_DIR);
  const openSandbox = await chooseSandbox({ ...options.sandbox, searchPath, workDir });
  const retry: RetryPolicy = { maxTries: 6, baseDelayMs: 250, maxDelayMs: 30_000, random: createRandom(Date.now()) };
  const { documents, servers } = await openFindable(options.loop, version, signal);
  const telemetry = openTelemetry(settings, version);
  const client = createResponsesClient({
    gatewayUrl: settings.CENTSPAN_GATEWAY_URL,
    connections: options.connections,
    retry,
    mechanisms,
  });
  const { CENTSPAN_API_URL: apiUrl, CENTSPAN_API_KEY: apiKey } = settings;
  const outcomes = apiUrl && apiKey ? createApiRecorder({ apiUrl, apiKey, retry }) : localRecorder;
  return {
    services: {
      telemetry,
      client,
      outcomes,
      gatewayUrl: settings.CENTSPAN_GATEWAY_URL,
      workDir,
      searchPath,
      version,
      keepCopies,
      openSandbox,
      mechanisms,
      windowTokens,
      servers,
      documents,
      person: null,
      takeSteering: () => [],
      report: () => undefined,
      onStart: () => undefined,
      signal,
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await client.close();
      await telemetry.stop();
    },
  };
}

/** What the agent can find but does not have in its prompt. */
async function openFindable({ mcp, library }: LoopSettings, version: string, signal: AbortSignal) {
  const { documents, servers } = library === null ? EMPTY_LIBRARY : await readLibrary(library);
  const named = mcp === null ? {} : await readServerSpecs(mcp);
  return { documents, servers: await connectServers({ ...servers, ...named }, version, signal) };
}

/** Without a collector the spans go nowhere; everything else works the same. */
function openTelemetry(settings: Settings, version: string): Telemetry {
  const { CENTSPAN_OTLP_URL: otlpUrl, CENTSPAN_INGEST_KEY: ingestKey, OTEL_RESOURCE_ATTRIBUTES: resource } = settings;
  if (otlpUrl) return startTelemetry({ service: "centspan-harness", version, otlpUrl, ingestKey, resource });
  const nothing = () => Promise.resolve();
  return { tracer: trace.getTracer("centspan", version), flush: nothing, stop: nothing };
}
