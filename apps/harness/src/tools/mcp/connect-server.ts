/**
 * The tools of an MCP server, started as a program or reached over streamable HTTP. A server gets no variables of ours but
 * those that its entry names; what it says is data for the model, never more.
 */
import { CentspanError } from "@centspan/base";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CallToolResult, CallToolResultSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { toPlainText } from "../plain-text.ts";
import type { Tool, ToolContext, ToolResult } from "../tool.ts";
import type { ServerSpec, ServerSpecs } from "./server-spec.ts";

export type ToolServer = {
  name: string;
  /** In the order in which the server lists them. */
  list(): Promise<Tool[]>;
  close(): Promise<void>;
};

const START_LIMIT_MS = 30_000;
const CALL_LIMIT_MS = 120_000;

/** All of them or none: a run without a tool it was promised would fail later and say less. */
export async function connectServers(specs: ServerSpecs, version: string, signal: AbortSignal): Promise<ToolServer[]> {
  const started = await Promise.allSettled(
    Object.entries(specs).map(([name, spec]) => connectServer(name, spec, version, signal)),
  );
  const failed = started.find((result) => result.status === "rejected");
  const servers = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (failed === undefined) return servers;
  await Promise.all(servers.map((server) => server.close()));
  throw failed.reason;
}

async function connectServer(
  name: string,
  spec: ServerSpec,
  version: string,
  signal: AbortSignal,
): Promise<ToolServer> {
  const client = new Client({ name: "centspan-harness", version });
  const fail = (cause: unknown): never => {
    signal.throwIfAborted();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CentspanError("upstream_failed", `the MCP server ${name} does not answer: ${why}`, { cause });
  };
  const options = { timeout: START_LIMIT_MS, signal: derive(signal) };
  await client.connect(createTransport(spec), options).catch(fail);
  return {
    name,
    list: async () => (await listTools(client).catch(fail)).map((tool) => wrapTool(name, client, tool)),
    close: () => client.close(),
  };
}

/** The SDK never takes its listeners off a signal; those of one that is let go go with it. */
const derive = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal]);

function createTransport(spec: ServerSpec): Transport {
  if ("command" in spec) return new StdioClientTransport({ ...spec, stderr: "ignore" });
  return new StreamableHTTPClientTransport(new URL(spec.url), { requestInit: { headers: spec.headers } });
}

type Listed = Awaited<ReturnType<Client["listTools"]>>["tools"];

async function listTools(client: Client): Promise<Listed> {
  const tools: Listed = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: START_LIMIT_MS });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

const argumentsSchema = z.record(z.string(), z.unknown());

function wrapTool(server: string, client: Client, listed: Listed[number]): Tool {
  return {
    name: `${server}__${listed.name}`.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64),
    description: listed.description ?? listed.title ?? listed.name,
    parameters: listed.inputSchema,
    readOnly: listed.annotations?.readOnlyHint === true,
    run: (argumentsJson, context) => callTool(client, listed.name, readArguments(argumentsJson), context),
  };
}

function readArguments(json: string): Record<string, unknown> {
  try {
    return argumentsSchema.parse(JSON.parse(json === "" ? "{}" : json));
  } catch (cause) {
    throw new CentspanError("invalid_request", "arguments: must be a JSON object", { field: "arguments", cause });
  }
}

async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  { signal, output }: ToolContext,
): Promise<ToolResult> {
  try {
    const options = { signal: derive(signal), timeout: CALL_LIMIT_MS };
    const result = await client.callTool({ name, arguments: args }, CallToolResultSchema, options);
    const text = describeResult(CallToolResultSchema.parse(result));
    return { output: output.write(toPlainText({ text, totalBytes: Buffer.byteLength(text), truncated: false })) };
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof McpError)) throw cause;
    const code = cause.code === ErrorCode.RequestTimeout ? "upstream_timeout" : "upstream_failed";
    throw new CentspanError(code, cause.message, { cause });
  }
}

function describeResult({ content, structuredContent, isError }: CallToolResult): string {
  const parts = content.map(describePart);
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return [...(isError === true ? ["error:"] : []), ...parts].join("\n");
}

function describePart(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "resource":
      return "text" in part.resource ? part.resource.text : `(binary resource ${part.resource.uri} is not shown)`;
    case "resource_link":
      return `${part.name}: ${part.uri}`;
    default:
      return `(${part.type} of type ${part.mimeType} is not shown)`;
  }
}
