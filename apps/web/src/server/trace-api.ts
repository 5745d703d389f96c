/**
 * Opens the stores once per process and gives pages a client of the Trace API that runs in-process:
 * a page sees exactly what a script with an API key sees. Server only.
 */
import { type ApiClient, createApiClient, createTraceApi, type TraceApi } from "@centspan/api";
import { createWallClock } from "@centspan/base";
import { openControl } from "@centspan/control";
import type { Principal } from "@centspan/model";
import { openWarehouse } from "@centspan/warehouse";
import { z } from "zod";

const environmentSchema = z.object({
  CLICKHOUSE_URL: z.string().min(1),
  DATABASE_URL: z.string().min(1),
  CENTSPAN_ORG: z.string().default("local"),
  CENTSPAN_WORKSPACE: z.string().default("default"),
});

type Opened = { api: TraceApi; owner: Principal };

/** Opened on the first request, not on import: the build imports every module without a store in reach. */
let opened: Opened | undefined;

function open(): Opened {
  if (opened !== undefined) return opened;
  const env = environmentSchema.parse(process.env);
  const control = openControl({ url: env.DATABASE_URL });
  const warehouse = openWarehouse({ url: env.CLICKHOUSE_URL, books: control });
  const api = createTraceApi({ warehouse, control, clock: createWallClock() });
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
  opened = { api, owner };
  return opened;
}

/** The Trace API as the web app's pages use it, for the default workspace or the named one. */
export async function openTraceApi(workspace?: string): Promise<ApiClient> {
  const { api, owner } = open();
  return createApiClient((path, init) => {
    const url = new URL(path, "http://trace-api.internal");
    if (workspace !== undefined) url.searchParams.set("workspace", workspace);
    return api.handle(new Request(url, init), owner);
  });
}

/** Answers a request that came over HTTP: its own credential decides. */
export const handleApiRequest = (request: Request): Promise<Response> => open().api.handle(request);
