/**
 * The Trace API over Fetch: finds the route, who calls, parses, runs, answers. The one place where errors become problems.
 * Invariant: a workspace comes from the credential; only an org-wide api key may name another one of its organisation.
 */
import { asCentspanError, CentspanError, toProblem } from "@centspan/base";
import type { Principal } from "@centspan/model";
import { answerJson } from "./answer-json.ts";
import { describeApi } from "./openapi.ts";
import { requirePermission } from "./require-permission.ts";
import type { ApiDeps, Caller, Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { readHealth } from "./use-cases/read-health.ts";

export const API_PREFIX = "/api/v1";
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

export type TraceApi = {
  /** Answers a request; `trusted` stands in for a credential (the web app's own pages, the CLI on its own stores). */
  handle(request: Request, trusted?: Principal): Promise<Response>;
};

export function createTraceApi(deps: ApiDeps): TraceApi {
  return {
    async handle(request, trusted) {
      try {
        return await answer(deps, request, trusted);
      } catch (thrown) {
        return answerProblem(thrown);
      }
    },
  };
}

async function answer(deps: ApiDeps, request: Request, trusted: Principal | undefined): Promise<Response> {
  const url = new URL(request.url);
  const path = url.pathname.slice(API_PREFIX.length);
  if (path === "/health") {
    const health = await readHealth(deps);
    return Response.json(health, { status: health.status === "ok" ? 200 : 503 });
  }
  if (path === "/openapi.json") return Response.json(describeApi(ROUTES));
  const { route, params } = findRoute(request.method, path);
  const query = readQuery(url.searchParams);
  // Of a caller who is not known nothing is read, but for what a signature is over.
  const isDelivery = trusted === undefined && route.isSigned !== undefined && query.key !== undefined;
  const delivered = isDelivery ? await readBody(request, route) : undefined;
  const header = (name: string): string | null => request.headers.get(name);
  const signer = route.hasToken
    ? await authenticateToken(deps, params.token ?? "")
    : (trusted ?? (await authenticateDelivery(deps, route, { keyId: query.key, body: delivered, header })));
  const caller = await resolveCaller(deps, request, query.workspace, signer);
  if (route.needs !== null) requirePermission(caller.principal, route.needs);
  const { workspace: _named, ...own } = query;
  const result = await noteRefusals(deps, route, caller.workspace, async () => {
    const body = delivered ?? (await readBody(request, route));
    return route.handle({ deps, caller, params, query: own, body, header });
  });
  return result instanceof Response ? result : answerJson(result, route.successStatus ?? 200);
}

function answerProblem(thrown: unknown): Response {
  const error = asCentspanError(thrown);
  if (error.code === "internal") console.error(error.cause);
  return Response.json(toProblem(error), {
    status: error.status,
    headers: {
      "content-type": "application/problem+json",
      ...(error.retryAfterS === undefined ? {} : { "retry-after": String(error.retryAfterS) }),
      ...(error.code === "unauthenticated" ? { "www-authenticate": "Bearer" } : {}),
    },
  });
}

function findRoute(method: string, path: string): { route: Route; params: Record<string, string> } {
  const parts = path.split("/");
  const found = ROUTES.flatMap((route) => {
    const params = matchPath(route.path.split("/"), parts);
    return params === null ? [] : [{ route, params }];
  });
  // A literal segment beats a parameter: /outcomes/cost is not an outcome named "cost".
  const match = found
    .filter(({ route }) => route.method === method)
    .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0];
  if (match !== undefined) return match;
  if (found.length === 0) {
    const known = `${API_PREFIX}/openapi.json`;
    throw new CentspanError("unknown_path", `${API_PREFIX}${path}: there are only those that ${known} lists`);
  }
  throw new CentspanError("method_not_allowed", `${method}: not for ${API_PREFIX}${path}`);
}

function matchPath(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [i, segment] of pattern.entries()) {
    const part = parts[i] ?? "";
    if (segment.startsWith("{")) params[segment.slice(1, -1)] = decodeSegment(part);
    else if (segment !== part) return null;
  }
  return params;
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new CentspanError("invalid_request", `path: ${JSON.stringify(part)} is not percent-encoded UTF-8`, {
      field: "path",
    });
  }
}

function readQuery(search: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of search) {
    if (name in query) throw new CentspanError("invalid_request", `${name}: is given twice`, { field: name });
    query[name] = value;
  }
  return query;
}

async function resolveCaller(
  deps: ApiDeps,
  request: Request,
  named: string | undefined,
  trusted: Principal | undefined,
): Promise<Caller> {
  const principal = trusted ?? (await authenticate(deps, request.headers.get("authorization")));
  if (named === undefined || named === principal.workspace) return { principal, workspace: principal.workspace };
  const reachable = principal.orgWide ? await deps.control.listWorkspaces(principal.org) : [];
  if (reachable.some(({ id }) => id === named)) return { principal, workspace: named };
  throw new CentspanError("not_found", `workspace: no workspace ${JSON.stringify(named)} for this key`, {
    field: "workspace",
  });
}

/** Undefined where the caller has to present a key. */
async function authenticateDelivery(
  deps: ApiDeps,
  route: Route,
  { keyId, body, header }: { keyId: string | undefined; body: unknown; header(name: string): string | null },
): Promise<Principal | undefined> {
  const { isSigned } = route;
  if (isSigned === undefined || keyId === undefined || typeof body !== "string") return undefined;
  const signer = await deps.control.findSigner(keyId);
  if (signer !== null && isSigned({ body, header }, signer.webhookSecret)) return signer.principal;
  const refusal = new CentspanError(
    "unauthenticated",
    `key: the delivery is not signed with the webhook secret of ${keyId}`,
    { field: "key" },
  );
  if (signer === null) throw refusal;
  return noteRefusals(deps, route, signer.principal.workspace, () => Promise.reject(refusal));
}

/** Who has the link of an approval is a caller of its workspace, for that approval alone. */
async function authenticateToken({ control }: ApiDeps, token: string): Promise<Principal> {
  const { approvalId, workspace } = await control.findApproval(token);
  const own = { kind: "api", scopes: [], orgWide: false, team: null, rules: {} } as const;
  return { ...own, keyId: approvalId, keyName: "approval", workspace, org: "" };
}

/** Reports that can't be taken are listed for whoever sends them, and looks in vain for their outcomes. */
async function noteRefusals<T>(deps: ApiDeps, route: Route, workspace: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const isRefusal = thrown instanceof CentspanError && REFUSALS.has(thrown.code);
    if (route.reportOf !== undefined && isRefusal)
      await deps.control.noteRefusal(workspace, route.reportOf, thrown.message.slice(0, 300));
    throw thrown;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(["invalid_file", "payload_too_large", "conflict", "unauthenticated"]);

async function authenticate(deps: ApiDeps, header: string | null): Promise<Principal> {
  const secret = /^Bearer (\S+)$/i.exec(header ?? "")?.[1];
  const principal = secret === undefined ? null : await deps.control.findPrincipal(secret);
  if (principal === null) {
    throw new CentspanError(
      "unauthenticated",
      `authorization: ${header === null ? "is missing" : "is not a known key"}`,
    );
  }
  return principal;
}

async function readBody(request: Request, route: Route): Promise<unknown> {
  if (route.method !== "POST" && route.method !== "PUT") return undefined;
  const text = await readLimited(request);
  if (route.bodyIsText) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new CentspanError("invalid_request", "body: is not valid JSON", { field: "body" });
  }
}

/** The body as text, given up as soon as it passes the limit: a declared length is not trusted. */
async function readLimited(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body?.getReader();
  for (let chunk = await reader?.read(); chunk?.value !== undefined; chunk = await reader?.read()) {
    bytes += chunk.value.byteLength;
    if (bytes > BODY_LIMIT_BYTES) {
      await reader?.cancel();
      throw new CentspanError("payload_too_large", `body: larger than ${BODY_LIMIT_BYTES} bytes`, { field: "body" });
    }
    chunks.push(chunk.value);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
