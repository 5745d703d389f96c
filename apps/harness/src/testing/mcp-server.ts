/**
 * An MCP server for tests, over stdio when run as a program: `tools` tools that it lists in another order each time, two
 * pages of them; the first ones behave as their names say.
 */
import { createRandom } from "@centspan/base";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";

const BEHAVIOURS = ["echo", "fail", "environment", "picture"];

export function createMcpServer(tools: number): Server {
  const random = createRandom(Date.now());
  const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
  const names = Array.from({ length: tools }, (_, index) => BEHAVIOURS[index] ?? `tool_${index}`);
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const half = Math.ceil(names.length / 2);
    const page = params?.cursor === "second" ? names.slice(half) : names.slice(0, half);
    const order = page.map((name) => ({ name, at: random.next() })).sort((a, b) => a.at - b.at);
    return {
      tools: order.map(({ name }) => describeTool(name)),
      ...(params?.cursor === undefined && { nextCursor: "second" }),
    };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => answer(params.name, params.arguments ?? {}));
  return server;
}

const describeTool = (name: string): Tool => ({
  name,
  description: `Does what ${name.replaceAll("_", " ")} says.`,
  inputSchema: { type: "object", properties: { text: { type: "string", title: "Text" } } },
  annotations: { readOnlyHint: name === "echo" },
});

function answer(name: string, args: Record<string, unknown>) {
  const text = (value: string) => [{ type: "text" as const, text: value }];
  switch (name) {
    case "fail":
      return { content: text("it failed"), isError: true };
    case "environment":
      return { content: text(JSON.stringify(process.env)) };
    case "picture":
      return { content: [{ type: "image" as const, data: "AA==", mimeType: "image/png" }] };
    default:
      return { content: text(`${name}: ${JSON.stringify(args)}`) };
  }
}

if (process.argv[1] === import.meta.filename) {
  await createMcpServer(Number(process.argv[2] ?? "4")).connect(new StdioServerTransport());
}
