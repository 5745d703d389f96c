/**
 * The Trace API for agents: what it answers without changing anything, as tools of the Model Context Protocol over streamable
 * HTTP. A tool is a route: its arguments are the route's parameters, its key is the request's. No session is kept, so that any
 * process may answer.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { listParameters } from "./openapi.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { API_PREFIX, type TraceApi } from "./trace-api.ts";

const INSTRUCTIONS =
  "Figures of what agents' model calls cost and what came of them. Begin with costOutcomes or sumCosts, go to listTraces " +
  "and readTrace for a run. Money and 64-bit integers are strings; times are ISO 8601.";

export type McpEndpoint = { handle(request: Request): Promise<Response> };

export function createMcpEndpoint(api: TraceApi): McpEndpoint {
  return {
    async handle(request) {
      const headers = { authorization: request.headers.get("authorization") ?? "" };
      const ask = (path: string): Promise<Response> =>
        api.handle(new Request(new URL(`${API_PREFIX}${path}`, "http://trace-api.internal"), { headers }));
      // Without a key that may read, nothing is said of what there is either.
      const known = await ask("/workspaces");
      if (!known.ok) return known;
      const server = createServer(ask);
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

const isTool = ({ method, answerTypes, hasToken, allow }: Route): boolean =>
  method === "GET" && answerTypes === undefined && !hasToken && allow.includes("api");

const TOOLS = ROUTES.filter(isTool);

function createServer(ask: (path: string) => Promise<Response>): Server {
  const server = new Server(
    { name: "centspan", version: "1" },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const route = TOOLS.find(({ id }) => id === name);
    const said = argumentsSchema.safeParse(given);
    if (route === undefined) return fail(`There is no tool ${name}.`);
    if (!said.success) return fail("Arguments have to be texts, numbers or booleans.");
    const answer = await ask(writePath(route, said.data));
    return { content: [{ type: "text", text: await answer.text() }], isError: !answer.ok };
  });
  return server;
}

const argumentsSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value)),
);

const fail = (text: string) => ({ content: [{ type: "text" as const, text }], isError: true });

function describeTool(route: Route): Tool {
  const parameters = listParameters(route);
  return {
    name: route.id,
    description: route.summary,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
    },
    annotations: { readOnlyHint: true },
  };
}

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
