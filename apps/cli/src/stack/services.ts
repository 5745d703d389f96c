/** The table of services: what each runs and what it is told. Order is start order; stopping goes backwards. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CentspanError } from "@centspan/base";
import { DEFAULT_WORKSPACE } from "../stores.ts";
import type { LocalKeys } from "./keys.ts";
import type { Ports } from "./ports.ts";
import type { Service } from "./process.ts";

/** This file is bundled into apps/cli/dist/main.js. */
const APPS = fileURLToPath(new URL("../../", import.meta.url));
export const HOST = "127.0.0.1";
const urlOf = (port: number): string => `http://${HOST}:${port}`;

export function appScript(app: string, path = "dist/main.js"): string {
  const script = join(APPS, app, path);
  if (!existsSync(script)) throw new CentspanError("not_ready", `apps/${app} is not built: run \`npm run build\``);
  return script;
}

export const describeStores = (ports: Ports, dataDir: string): Service => ({
  name: "embedded",
  script: appScript("embedded"),
  args: [
    "--data",
    join(dataDir, "stores"),
    "--clickhouse-port",
    String(ports.clickhouse),
    "--postgres-port",
    String(ports.postgres),
  ],
  env: { UV_THREADPOOL_SIZE: "64" },
});

export type StackUrls = {
  webUrl: string;
  gatewayUrl: string;
  otlpUrl: string;
  otlpGrpcUrl: string;
  engineUrl: string;
  clickhouseUrl: string;
  databaseUrl: string;
};

/** The embedded ClickHouse names no database in its address; ours has a name, as on a server. */
export const planUrls = (ports: Ports, stores: { clickhouseUrl: string; databaseUrl: string }): StackUrls => ({
  webUrl: urlOf(ports.web),
  gatewayUrl: urlOf(ports.gateway),
  otlpUrl: urlOf(ports.otlp),
  otlpGrpcUrl: urlOf(ports.otlpGrpc),
  engineUrl: urlOf(ports.engine),
  clickhouseUrl: new URL("/centspan", stores.clickhouseUrl).href,
  databaseUrl: stores.databaseUrl,
});

export function describeServices(
  ports: Ports,
  urls: StackUrls,
  keys: LocalKeys,
  { dataDir, timeScale }: { dataDir: string; timeScale: number },
): Service[] {
  const stores = { CLICKHOUSE_URL: urls.clickhouseUrl, DATABASE_URL: urls.databaseUrl };
  const telemetry = { CENTSPAN_OTLP_URL: urls.otlpUrl, CENTSPAN_INGEST_KEY: keys.ingestKey };
  const at = (port: number) => ({ CENTSPAN_HOST: HOST, CENTSPAN_PORT: String(port) });
  return [
    {
      name: "collector",
      script: appScript("collector"),
      env: {
        ...at(ports.otlp),
        ...stores,
        CENTSPAN_GRPC_PORT: String(ports.otlpGrpc),
        CENTSPAN_SPOOL_DIR: join(dataDir, "spool"),
        CENTSPAN_BLOCK_FOLDER: join(dataDir, "blocks"),
        CENTSPAN_DEFAULT_WORKSPACE: DEFAULT_WORKSPACE,
        CENTSPAN_INGEST_KEY: keys.ingestKey,
      },
    },
    {
      name: "worker",
      script: appScript("worker"),
      // A trace of 400,000 calls needs a third of it; by itself Node would let garbage lie for gigabytes.
      env: { ...at(ports.worker), ...stores, NODE_OPTIONS: "--max-old-space-size=1536" },
    },
    {
      name: "engine",
      script: appScript("engine"),
      env: { ...at(ports.engine), ...telemetry, CENTSPAN_TIME_SCALE: String(timeScale) },
    },
    {
      name: "gateway",
      script: appScript("gateway"),
      env: {
        ...at(ports.gateway),
        ...stores,
        ...telemetry,
        CENTSPAN_INGEST_KEY: keys.gatewayIngestKey,
        CENTSPAN_UPSTREAM_URL: urls.engineUrl,
      },
    },
    {
      name: "web",
      script: appScript("web", ".next/standalone/apps/web/start.mjs"),
      env: {
        ...stores,
        CENTSPAN_GATEWAY_URL: urls.gatewayUrl,
        CENTSPAN_OTLP_URL: urls.otlpUrl,
        CENTSPAN_OTLP_GRPC_URL: urls.otlpGrpcUrl,
        NODE_ENV: "production",
        HOSTNAME: HOST,
        PORT: String(ports.web),
        NEXT_TELEMETRY_DISABLED: "1",
      },
    },
  ];
}
