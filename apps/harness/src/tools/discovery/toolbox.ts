/**
 * The tools of a run. In the prompt stand the core tools, in one order and as the same bytes in every turn; those of
 * servers are found by `tool_search` and called through `call_tool`, which is seen by nobody else: approval, spans and
 * programs see the tool that is meant.
 */
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import type { LibraryDocument } from "../../library/read-library.ts";
import type { Mechanisms } from "../../mechanisms.ts";
import type { FunctionCall } from "../../transport/read-turn.ts";
import type { ToolServer } from "../mcp/connect-server.ts";
import { isRecord, stableJson } from "../stable-json.ts";
import { defineTool, type Tool } from "../tool.ts";
import { createCatalogue } from "./catalogue.ts";
import { compactSchema } from "./compact-schema.ts";
import { createToolSearch, type FoundTool } from "./tool-search.ts";

export type Toolbox = {
  /** JSON texts of the tools in the prompt, in their order. */
  describe(): Promise<readonly string[]>;
  find(name: string): Tool | undefined;
  /** The call that is meant: what `call_tool` wraps, or the call itself. */
  resolve(call: FunctionCall): FunctionCall;
};

export type ToolboxOptions = {
  core: readonly Tool[];
  servers: readonly ToolServer[];
  documents: readonly LibraryDocument[];
  mechanisms: Mechanisms;
};

export async function openToolbox({ core, servers, documents, mechanisms }: ToolboxOptions): Promise<Toolbox> {
  const listServers = async (): Promise<Tool[]> => (await Promise.all(servers.map((server) => server.list()))).flat();
  const others = await listServers();
  checkNames([...core, ...others]);
  const isDeferred = mechanisms.deferredTools && others.length + documents.length > 0;
  const entries = [...(isDeferred ? others.map(describeEntry) : []), ...documents];
  const search = entries.length === 0 ? [] : [createToolSearch(createCatalogue(entries), mechanisms)];
  const discovery = isDeferred ? [callTool, ...search] : search;
  const ours = [...core, ...discovery];
  const tools = new Map([...ours, ...others].map((tool) => [tool.name, tool]));
  const write = (tool: Tool): string => writeTool(tool, mechanisms);
  const fixed = sortByName(isDeferred ? ours : [...ours, ...others]).map(write);
  return {
    describe: async () => {
      if (mechanisms.stableTools) return fixed;
      return [...ours, ...(isDeferred ? [] : await listServers())].map(write);
    },
    find: (name) => tools.get(name),
    resolve,
  };
}

const sortByName = (tools: readonly Tool[]): Tool[] => tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));

function checkNames(tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined) throw new CentspanError("conflict", `tools: there are two named ${JSON.stringify(double)}`);
}

function writeTool({ name, description, parameters }: Tool, mechanisms: Mechanisms): string {
  const schema = mechanisms.compactSchemas ? compactSchema(parameters) : parameters;
  const tool = { type: "function", name, description, strict: false, parameters: schema };
  return mechanisms.stableTools ? stableJson(tool) : JSON.stringify(tool);
}

const describeEntry = (tool: Tool): FoundTool => ({
  kind: "tool",
  name: tool.name,
  description: tool.description,
  words: listWords(tool.parameters).join(" "),
  tool,
});

/** Names and descriptions of all parameters. */
function listWords(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(listWords);
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    if (name === "description" && typeof value === "string") return [value];
    if (name === "enum" && Array.isArray(value)) return value.map(String);
    return name === "properties" && isRecord(value)
      ? [...Object.keys(value), ...listWords(Object.values(value))]
      : listWords(value);
  });
}

const CALL_TOOL = "call_tool";
const callSchema = z.strictObject({
  name: z.string().min(1).describe("Name of a tool that tool_search found."),
  arguments: z.record(z.string(), z.unknown()).describe("Its arguments, as its parameters say."),
});

const callTool = defineTool({
  name: CALL_TOOL,
  description: "Calls a tool that tool_search found.",
  arguments: callSchema,
  readOnly: false,
  /** Only reached by a call that names itself. */
  run: ({ name }) => Promise.reject(new CentspanError("invalid_request", `name: ${name} is not found by tool_search`)),
});

function resolve(call: FunctionCall): FunctionCall {
  if (call.name !== CALL_TOOL) return call;
  try {
    const { name, arguments: args } = callSchema.parse(JSON.parse(call.argumentsJson));
    return { ...call, name, argumentsJson: JSON.stringify(args) };
  } catch {
    // The tool itself says what is wrong with its arguments.
    return call;
  }
}
