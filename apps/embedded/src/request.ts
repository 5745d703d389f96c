/**
 * A ClickHouse HTTP request taken apart: which part of the URL, headers and form is SQL, parameter, setting or neither.
 * Parsed once here; must not run anything.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { badArguments, ClickHouseException, notImplemented } from "./exceptions.ts";

export type QueryRequest = {
  queryId: string;
  /** SQL from the URL; the body follows it. */
  urlQuery: string;
  params: Map<string, string>;
  profile: Profile;
  defaultFormat: string;
  session: { id: string; timeoutS: number; mustExist: boolean } | undefined;
  user: string;
  password: string;
  wantsCompression: boolean;
  waitEndOfQuery: boolean;
  bufferBytes: number;
};

/** All that makes one engine session differ from another. */
export type Profile = { database: string | undefined; settings: Map<string, string>; readonly: "0" | "1" | "2" };

/** URL parameters that are no settings. */
const NO_SETTINGS = new Set(
  `query query_id database user password quota_key default_format session_id session_timeout session_check
   close_session wait_end_of_query buffer_size enable_http_compression stacktrace client_protocol_version readonly`.split(
    /\s+/,
  ),
);
const MAX_SESSION_TIMEOUT_S = 3600;
const DEFAULT_BUFFER_BYTES = 1024 * 1024;

export function parseRequest(request: IncomingMessage): QueryRequest {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const header = (name: string) => request.headers[name]?.toString();
  const credentials = parseCredentials(request, searchParams);
  const parsed: QueryRequest = {
    queryId: searchParams.get("query_id") || randomUUID(),
    urlQuery: searchParams.get("query") ?? "",
    params: new Map(),
    profile: {
      database: searchParams.get("database") ?? header("x-clickhouse-database"),
      settings: new Map(),
      readonly: readonlyLevel(searchParams.get("readonly"), request.method),
    },
    defaultFormat: searchParams.get("default_format") ?? header("x-clickhouse-format") ?? "TabSeparated",
    session: parseSession(searchParams),
    ...credentials,
    wantsCompression: isOn(searchParams.get("enable_http_compression")),
    waitEndOfQuery: isOn(searchParams.get("wait_end_of_query")),
    bufferBytes: byteCount(searchParams.get("buffer_size")),
  };
  for (const [name, value] of searchParams) addParameter(parsed, name, value);
  if (!/^\w+$/.test(parsed.defaultFormat)) throw badArguments(`default_format is not a name: ${parsed.defaultFormat}`);
  return parsed;
}

/** A `multipart/form-data` body may carry the query and its parameters. */
export async function readForm(request: QueryRequest, contentType: string, body: Buffer): Promise<void> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  for (const [name, value] of form) {
    if (typeof value !== "string") throw notImplemented("External tables in multipart requests are not supported");
    if (name === "query") request.urlQuery += value;
    else addParameter(request, name, value);
  }
}

function addParameter(request: QueryRequest, name: string, value: string): void {
  if (name.startsWith("param_")) request.params.set(identifier(name.slice("param_".length)), value);
  else if (name === "compress" || name === "decompress") {
    if (isOn(value)) throw notImplemented(`${name}=1 (ClickHouse's own block compression) is not supported; use gzip`);
  } else if (name === "role") throw notImplemented("Roles are not supported");
  else if (!NO_SETTINGS.has(name)) request.profile.settings.set(identifier(name), value);
}

function identifier(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  throw new ClickHouseException(115, "UNKNOWN_SETTING", `Setting ${name} is neither a builtin setting nor a parameter`);
}

function parseCredentials(request: IncomingMessage, searchParams: URLSearchParams) {
  const authorization = request.headers.authorization;
  if (authorization?.startsWith("Basic ")) {
    const [user = "", ...rest] = Buffer.from(authorization.slice("Basic ".length), "base64")
      .toString("utf8")
      .split(":");
    return { user, password: rest.join(":") };
  }
  return {
    user: request.headers["x-clickhouse-user"]?.toString() ?? searchParams.get("user") ?? "default",
    password: request.headers["x-clickhouse-key"]?.toString() ?? searchParams.get("password") ?? "",
  };
}

function parseSession(searchParams: URLSearchParams): QueryRequest["session"] {
  const id = searchParams.get("session_id");
  if (!id) return undefined;
  const timeoutS = Number(searchParams.get("session_timeout") ?? 60);
  if (!Number.isInteger(timeoutS) || timeoutS < 1 || timeoutS > MAX_SESSION_TIMEOUT_S) {
    const message = `Session timeout must be from 1 to ${MAX_SESSION_TIMEOUT_S} seconds`;
    throw new ClickHouseException(374, "INVALID_SESSION_TIMEOUT", message);
  }
  return { id, timeoutS, mustExist: isOn(searchParams.get("session_check")) };
}

/** A GET can't write, as on a server; `readonly=2` still lets it change settings. */
function readonlyLevel(asked: string | null, method: string | undefined): Profile["readonly"] {
  if (asked === "1" || asked === "2") return asked;
  if (asked !== null && asked !== "0") throw badArguments(`readonly must be 0, 1 or 2, not ${asked}`);
  return method === "GET" ? "2" : "0";
}

function byteCount(text: string | null): number {
  if (text === null) return DEFAULT_BUFFER_BYTES;
  if (!/^\d{1,8}$/.test(text)) throw badArguments(`buffer_size is not a number of bytes: ${text}`);
  return Number(text);
}

function isOn(value: string | null): boolean {
  return value === "1" || value?.toLowerCase() === "true";
}
