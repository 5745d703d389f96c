import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenOnLoopback } from "../../testing/listen.ts";
import { createMcpServer } from "../../testing/mcp-server.ts";
import { createRunContext } from "../../testing/tool-context.ts";
import { openToolContext } from "../tool.ts";
import { connectServers, type ToolServer } from "./connect-server.ts";
import type { ServerSpec } from "./server-spec.ts";

const PROGRAM = new URL("../../testing/mcp-server.ts", import.meta.url).pathname;

async function startHttp(): Promise<ServerSpec> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await createMcpServer(12).connect(transport);
  const received: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers.authorization);
    void transport.handleRequest(request, response);
  });
  const { url, close } = await listenOnLoopback(server);
  onTestFinished(async () => {
    await transport.close();
    await close();
    expect(received.every((header) => header === "Bearer x")).toBe(true);
  });
  return { url, headers: { authorization: "Bearer x" } };
}

const startProgram = async (): Promise<ServerSpec> => ({
  command: process.execPath,
  args: ["--import", "tsx", PROGRAM, "12"],
  env: { GIVEN: "yes" },
});

async function connect(
  spec: ServerSpec,
): Promise<{ server: ToolServer; call(name: string, args: string): Promise<string> }> {
  const { signal } = new AbortController();
  const [server] = await connectServers({ test: spec }, "1", signal);
  if (server === undefined) throw new Error("not connected");
  onTestFinished(() => server.close());
  const tools = await server.list();
  const context = await createRunContext("");
  const call = async (name: string, args: string) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return (await tool.run(args, openToolContext(context, "call_1"))).output.text;
  };
  return { server, call };
}

describe.each([
  ["over stdio", startProgram],
  ["over streamable HTTP", startHttp],
])("an MCP server %s", (_how, start) => {
  it("lends its tools, all pages of them, under its own name", async () => {
    const { server, call } = await connect(await start());
    const names = (await server.list()).map(({ name }) => name);
    expect(names.toSorted()).toHaveLength(12);
    expect(names).toEqual(expect.arrayContaining(["test__echo", "test__tool_11"]));
    expect((await server.list()).filter(({ readOnly }) => readOnly).map(({ name }) => name)).toEqual(["test__echo"]);
    expect(await call("test__echo", '{"text":"hi"}')).toBe('echo: {"text":"hi"}');
    expect(await call("test__fail", "{}")).toBe("error:\nit failed");
    expect(await call("test__picture", "{}")).toBe("(image of type image/png is not shown)");
    await expect(call("test__echo", "{")).rejects.toThrow("arguments: must be a JSON object");
  });
});

it("keeps our environment from a server, but for what its entry names", async () => {
  process.env.CENTSPAN_TEST_SECRET = "hidden";
  onTestFinished(() => void delete process.env.CENTSPAN_TEST_SECRET);
  const { call } = await connect(await startProgram());
  const environment = JSON.parse(await call("test__environment", "{}"));
  expect(environment).toMatchObject({ GIVEN: "yes" });
  expect(environment).not.toHaveProperty("CENTSPAN_TEST_SECRET");
});

it("says which server does not start, and leaves none of the others running", async () => {
  const specs = { good: await startProgram(), bad: { command: "/does/not/exist", args: [], env: {} } };
  await expect(connectServers(specs, "1", new AbortController().signal)).rejects.toThrow(
    "the MCP server bad does not answer",
  );
});
