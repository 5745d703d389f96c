/** What a run needs from outside, made once per process from the settings. */
import { createRandom } from "@centspan/base";
import { startTelemetry, type Telemetry } from "@centspan/telemetry";
import { trace } from "@opentelemetry/api";
import { type Settings, searchPathOf } from "./config.ts";
import type { RunServices } from "./loop/run-task.ts";
import { createMechanisms } from "./mechanisms.ts";
import { createResponsesClient } from "./transport/responses-client.ts";
import type { RetryPolicy } from "./transport/retry.ts";
import { localRecorder } from "./verify/read-evidence.ts";
import { createApiRecorder } from "./verify/record-outcome.ts";

export type ServiceOptions = {
  settings: Settings;
  version: string;
  connections: number;
  keepWorkingCopies: boolean;
  signal: AbortSignal;
};

export type OpenServices = { services: RunServices; close(): Promise<void> };

export function openServices(options: ServiceOptions): OpenServices {
  const { settings, version, keepWorkingCopies, signal } = options;
  const retry: RetryPolicy = { maxTries: 6, baseDelayMs: 250, maxDelayMs: 30_000, random: createRandom(Date.now()) };
  const telemetry = openTelemetry(settings, version);
  const client = createResponsesClient({
    gatewayUrl: settings.CENTSPAN_GATEWAY_URL,
    connections: options.connections,
    retry,
    mechanisms: createMechanisms(),
  });
  const { CENTSPAN_API_URL: apiUrl, CENTSPAN_API_KEY: apiKey } = settings;
  const outcomes = apiUrl && apiKey ? createApiRecorder({ apiUrl, apiKey, retry }) : localRecorder;
  return {
    services: {
      telemetry,
      client,
      outcomes,
      workDir: settings.CENTSPAN_WORK_DIR,
      searchPath: searchPathOf(settings),
      version,
      keepWorkingCopies,
      signal,
    },
    close: async () => {
      await client.close();
      await telemetry.stop();
    },
  };
}

/** Without a collector the spans go nowhere; everything else works the same. */
function openTelemetry(settings: Settings, version: string): Telemetry {
  const { CENTSPAN_OTLP_URL: otlpUrl, CENTSPAN_INGEST_KEY: ingestKey } = settings;
  if (otlpUrl) return startTelemetry({ service: "centspan-harness", version, otlpUrl, ingestKey });
  const nothing = () => Promise.resolve();
  return { tracer: trace.getTracer("centspan", version), flush: nothing, stop: nothing };
}
