/**
 * The Trace API for agents: what it answers without changing anything, as tools of the Model Context Protocol over streamable
 * HTTP, simulations, and for keys that may write, recommendations up to what people decide. A tool is a route: its arguments
 * are the route's parameters and the members of its body, its key is the request's. No session is kept, so that any process may
 * answer.
 */

import { PERMISSIONS_OF_KIND } from "@centspan/model";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { listParameters } from "./openapi.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { API_PREFIX, type TraceApi } from "./trace-api.ts";
import { selfSchema } from "./use-cases/read-self.ts";

const INSTRUCTIONS =
  "Figures of what agents' model calls cost and what came of them. Begin with costOutcomes or sumCosts, go to listTraces " +
  "and readTrace for a run, to sumWaste for what was paid twice. simulateCalls asks what other settings would have done; what " +
  "holds is filed with proposeRecommendation, where the key may write. Only people accept. Money and 64-bit integers are " +
  "strings; times are ISO 8601.";

export type McpEndpoint = { handle(request: Request): Promise<Response> };

export function createMcpEndpoint(api: TraceApi): McpEndpoint {
  return {
    async handle(request) {
      const headers = {
        authorization: request.headers.get("authorization") ?? "",
        "content-type": "application/json",
      };
      const ask: Ask = (path, init) =>
        api.handle(new Request(new URL(`${API_PREFIX}${path}`, "http://trace-api.internal"), { ...init, headers }));
      // Without a key that may read, nothing is said of what there is either.
      const known = await ask("/self");
      if (!known.ok) return known;
      const self = selfSchema.parse(await known.json());
      if (!self.permissions.includes("figures.read")) return ask("/workspaces");
      const server = createServer(ask, self);
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      try {
        return await transport.handleRequest(request);
      } finally {
        await server.close();
      }
    },
  };
}

type Ask = (path: string, init?: { method: string; body: string }) => Promise<Response>;

const isTool = ({ method, answerTypes, hasToken, needs, mcp }: Route): boolean =>
  (method === "GET" || mcp !== undefined) &&
  answerTypes === undefined &&
  !hasToken &&
  (needs === null || PERMISSIONS_OF_KIND.api.includes(needs));

const TOOLS = ROUTES.filter(isTool);

type Self = z.output<typeof selfSchema>;

/** Why a tool is not for the key: its scopes, or, of one that writes, its rules. */
function findObjection({ id, needs, mcp }: Route, { permissions, rules }: Self): string | null {
  if (needs !== null && !permissions.includes(needs)) return `${id} needs ${needs}, which this key lacks.`;
  if (mcp !== "write" || rules.mcp?.write === true) return null;
  return `${id} changes something: it is for keys with the rule mcp.write.`;
}

function createServer(ask: Ask, self: Self): Server {
  const tools = TOOLS.filter((tool) => findObjection(tool, self) === null);
  const server = new Server(
    { name: "centspan", version: "1" },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const route = tools.find(({ id }) => id === name);
    if (route === undefined) return fail(describeMissing(name, self));
    const asked = route.method === "GET" ? askToRead(route, given) : askToWrite(route, given);
    if (asked === null) return fail("Arguments have to be texts, numbers or booleans.");
    const answer = await ask(asked.path, asked.init);
    return { content: [{ type: "text", text: await answer.text() }], isError: !answer.ok };
  });
  return server;
}

type Asked = { path: string; init?: { method: string; body: string } };

function askToRead(route: Route, given: Record<string, unknown>): Asked | null {
  const said = argumentsSchema.safeParse(given);
  return said.success ? { path: writePath(route, said.data) } : null;
}

/** Arguments that the path names are in it, the others are the body. */
function askToWrite({ method, path }: Route, given: Record<string, unknown>): Asked {
  const { ...body } = given;
  const own = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(body[name] ?? "");
    delete body[name];
    return encodeURIComponent(value);
  });
  return { path: own, init: { method, body: JSON.stringify(body) } };
}

function describeMissing(name: string, self: Self): string {
  const tool = TOOLS.find(({ id }) => id === name);
  return (tool && findObjection(tool, self)) ?? `There is no tool ${name}.`;
}

const argumentsSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value)),
);

const fail = (text: string) => ({ content: [{ type: "text" as const, text }], isError: true });

function describeTool(route: Route): Tool {
  const parameters = listParameters(route);
  const body = route.method === "GET" ? { properties: {}, required: [] } : describeBody(route);
  return {
    name: route.id,
    description: route.summary,
    inputSchema: {
      type: "object",
      properties: { ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])), ...body.properties },
      required: [...parameters.flatMap(({ name, required }) => (required ? [name] : [])), ...body.required],
    },
    annotations: { readOnlyHint: route.mcp !== "write" },
  };
}

const bodySchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

const describeBody = ({ body }: Route) =>
  bodySchema.parse(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }));

/** Arguments that the path names are in it, the others follow. */
function writePath({ path }: Route, given: Record<string, string>): string {
  const { ...query } = given;
  const own = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = query[name] ?? "";
    delete query[name];
    return encodeURIComponent(value);
  });
  return `${own}?${new URLSearchParams(query)}`;
}
