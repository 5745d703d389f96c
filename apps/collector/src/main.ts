/** The collector as a process: configuration, stores, its own metrics, ready line. */
import { setFlagsFromString } from "node:v8";
import { openControl } from "@centspan/control";
import { createCredentialCache, listenSchema, portSchema, readConfig, runMain } from "@centspan/service";
import { startMetrics } from "@centspan/telemetry";
import { openWarehouse } from "@centspan/warehouse";
import { z } from "zod";
import { type Collector, openCollector } from "./open-collector.ts";
import { reportMetrics } from "./report-metrics.ts";

const MEBIBYTE = 1024 * 1024;
const KEYS_KNOWN_FOR_MS = 600_000;
const METRICS_EVERY_MS = 15_000;

const configSchema = listenSchema.extend({
  CENTSPAN_PORT: portSchema.default(4318),
  CENTSPAN_GRPC_PORT: portSchema.default(4317),
  CENTSPAN_SPOOL_DIR: z.string().min(1),
  CENTSPAN_SPOOL_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(MEBIBYTE)
    .default(4096 * MEBIBYTE),
  CENTSPAN_BLOCK_FOLDER: z.string().min(1).optional(),
  CLICKHOUSE_URL: z.url(),
  DATABASE_URL: z.url(),
  CENTSPAN_DEFAULT_WORKSPACE: z.string().min(1).optional(),
  CENTSPAN_INGEST_KEY: z.string().min(1).optional(),
});

/**
 * Pieces of bodies lie outside the heap, and are garbage once they were read. The engine counts them as part of it: as small
 * as it is, all of it would be marked and swept for every ten megabytes of them. So it may grow to four times its size first.
 */
setFlagsFromString("--heap-growing-percent=300");

const VERSION = process.env.CENTSPAN_VERSION ?? "0";

await runMain("collector", async () => {
  const config = readConfig(configSchema, process.env);
  const blockFolder = config.CENTSPAN_BLOCK_FOLDER;
  const warehouse = openWarehouse({ url: config.CLICKHOUSE_URL, ...(blockFolder !== undefined && { blockFolder }) });
  const control = openControl({ url: config.DATABASE_URL });
  const collector = await openCollector({
    host: config.CENTSPAN_HOST,
    httpPort: config.CENTSPAN_PORT,
    grpcPort: config.CENTSPAN_GRPC_PORT,
    spool: { folder: config.CENTSPAN_SPOOL_DIR, maxBytes: config.CENTSPAN_SPOOL_MAX_BYTES },
    store: warehouse,
    credentials: createCredentialCache({
      find: (secret) => control.findPrincipal(secret),
      staleMs: KEYS_KNOWN_FOR_MS,
    }),
    defaultWorkspace: config.CENTSPAN_DEFAULT_WORKSPACE,
    keysKnownForMs: KEYS_KNOWN_FOR_MS,
    askWarehouse: () => warehouse.ping(),
    askControl: () => control.ping(),
    version: VERSION,
    onFault: (message) => process.stderr.write(`collector: ${message}\n`),
  });
  const metrics = observe(collector, config);
  return {
    ready: { url: collector.url, grpcUrl: collector.grpcUrl },
    async stop() {
      await metrics?.stop();
      await collector.close();
      await Promise.all([warehouse.close(), control.close()]);
    },
  };
});

/** Its own metrics come in by the same door as everybody's, where it has a key or needs none. */
function observe(collector: Collector, config: z.infer<typeof configSchema>) {
  const { CENTSPAN_DEFAULT_WORKSPACE, CENTSPAN_INGEST_KEY } = config;
  if (CENTSPAN_DEFAULT_WORKSPACE === undefined && CENTSPAN_INGEST_KEY === undefined) return null;
  const metrics = startMetrics({
    service: "centspan-collector",
    version: VERSION,
    otlpUrl: `http://localhost:${new URL(collector.url).port}`,
    ingestKey: CENTSPAN_INGEST_KEY ?? "",
    everyMs: METRICS_EVERY_MS,
  });
  reportMetrics(metrics, collector.readStatus);
  return metrics;
}
