/** An MCP server with one tool that only reads: it takes its time, and says something of its own for each call. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "@centspan/base";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { type Listening, listenOnLoopback } from "./listen.ts";
import { write } from "./words.ts";

export type ToolSettings = {
  outputWords: number;
  /** How long each call takes, and those of the third turn. */
  waitMs: number;
  longWaitMs: number;
};

const LONG_TURN = 2;
const number = { type: "integer" };
const describeTool = (name: string) => ({
  name,
  description: "Looks at something.",
  inputSchema: { type: "object" as const, properties: { turn: number, call: number }, required: ["turn", "call"] },
  annotations: { readOnlyHint: true },
});

/** What it says is of the seed. `mark` makes its list of tools one that no cache has. */
export async function startToolServer(seed: number, mark: string, settings: ToolSettings): Promise<Listening> {
  const { outputWords, waitMs, longWaitMs } = settings;
  const server = new Server({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [describeTool(mark), describeTool("look")] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { turn, call } = Object(params.arguments);
    await sleep(turn === LONG_TURN ? longWaitMs : waitMs);
    const text = write(createRandom(seed * 100 + turn * 10 + call), outputWords);
    return { content: [{ type: "text", text }] };
  });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  return listenOnLoopback(createServer((incoming, answer) => void transport.handleRequest(incoming, answer)));
}
