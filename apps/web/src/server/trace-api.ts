/**
 * Opens the stores once per process and gives pages a client of the Trace API that runs in-process:
 * a page sees exactly what a script with an API key sees. Server only.
 */
import {
  type ApiClient,
  createApiClient,
  createMcpEndpoint,
  createTraceApi,
  type McpEndpoint,
  type TraceApi,
} from "@centspan/api";
import { createWallClock } from "@centspan/base";
import { openControl } from "@centspan/control";
import type { Principal } from "@centspan/model";
import { openWarehouse } from "@centspan/warehouse";
import { z } from "zod";
import { readOnce } from "./read-once.ts";

const environmentSchema = z.object({
  CLICKHOUSE_URL: z.string().min(1),
  DATABASE_URL: z.string().min(1),
  CENTSPAN_ORG: z.string().default("local"),
  CENTSPAN_WORKSPACE: z.string().default("default"),
});

type Opened = { stores: Parameters<typeof createTraceApi>[0]; api: TraceApi; mcp: McpEndpoint; owner: Principal };

/** Opened on the first request, not on import: the build imports every module without a store in reach. */
let opened: Opened | undefined;

function open(): Opened {
  if (opened !== undefined) return opened;
  const env = environmentSchema.parse(process.env);
  const control = openControl({ url: env.DATABASE_URL });
  const warehouse = openWarehouse({ url: env.CLICKHOUSE_URL, books: control });
  const stores = { warehouse, control, clock: createWallClock() };
  const api = createTraceApi(stores);
  const owner: Principal = {
    keyId: "web",
    keyName: "web",
    kind: "api",
    workspace: env.CENTSPAN_WORKSPACE,
    org: env.CENTSPAN_ORG,
    orgWide: true,
    team: null,
    rules: {},
  };
  opened = { stores, api, mcp: createMcpEndpoint(api), owner };
  return opened;
}

/** The Trace API as one page uses it, for the default workspace or the named one. */
export async function openTraceApi(workspace?: string): Promise<ApiClient> {
  const { stores, owner } = open();
  const { warehouse } = stores;
  const listTaskSpend = readOnce(warehouse.listTaskSpend);
  const sumWasteTotals = readOnce(warehouse.sumWasteTotals);
  const api = createTraceApi({ ...stores, warehouse: { ...warehouse, listTaskSpend, sumWasteTotals } });
  return createApiClient((path, init) => {
    const url = new URL(path, "http://trace-api.internal");
    if (workspace !== undefined) url.searchParams.set("workspace", workspace);
    return api.handle(new Request(url, init), owner);
  });
}

/** Answers a request that came over HTTP: its own credential decides. */
export const handleApiRequest = (request: Request): Promise<Response> => open().api.handle(request);

/** The same for agents, over the Model Context Protocol. */
export const handleMcpRequest = (request: Request): Promise<Response> => open().mcp.handle(request);
