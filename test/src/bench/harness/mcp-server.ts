/** An MCP server over stdio that lends as many tools as its first argument says, in another order whenever it is asked. */
import { createRandom } from "@centspan/base";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { listTools } from "./tool-catalogue.ts";

const tools = listTools(Number(process.argv[2]));
const random = createRandom(1);
const server = new Server({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => {
  const order = tools.map((tool) => ({ tool, at: random.next() })).sort((a, b) => a.at - b.at);
  return { tools: order.map(({ tool }) => tool) };
});
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: "text", text: params.name }] }));
await server.connect(new StdioServerTransport());
