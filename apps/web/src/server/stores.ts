/** Opens the stores once per process, and the sign-in where there is one. Server only. */
import { createMcpEndpoint, createTraceApi, type McpEndpoint, type TraceApi } from "@centspan/api";
import { createWallClock } from "@centspan/base";
import { openControl } from "@centspan/control";
import { openSignIn, type SignIn } from "@centspan/control/sign-in";
import { openWarehouse } from "@centspan/warehouse";
import { z } from "zod";
import { readSignInMode, type SignInMode } from "./sign-in-mode.ts";

const environmentSchema = z.object({
  CLICKHOUSE_URL: z.string().min(1),
  DATABASE_URL: z.string().min(1),
  CENTSPAN_ORG: z.string().default("local"),
  CENTSPAN_WORKSPACE: z.string().default("default"),
});

export type Opened = {
  stores: Parameters<typeof createTraceApi>[0];
  api: TraceApi;
  mcp: McpEndpoint;
  home: { org: string; workspace: string };
  mode: SignInMode;
  /** Null in single-user mode. */
  signIn: SignIn | null;
};

/** Opened on the first request, not on import: the build imports every module without a store in reach. */
let opened: Opened | undefined;

export function openOnce(): Opened {
  if (opened !== undefined) return opened;
  const env = environmentSchema.parse(process.env);
  const mode = readSignInMode(process.env);
  const control = openControl({ url: env.DATABASE_URL });
  const warehouse = openWarehouse({ url: env.CLICKHOUSE_URL, books: control });
  const stores = { warehouse, control, clock: createWallClock() };
  const api = createTraceApi(stores);
  opened = {
    stores,
    api,
    mcp: createMcpEndpoint(api),
    home: { org: env.CENTSPAN_ORG, workspace: env.CENTSPAN_WORKSPACE },
    mode,
    signIn: mode.kind === "accounts" ? openSignIn({ ...mode, databaseUrl: env.DATABASE_URL }) : null,
  };
  return opened;
}
