/**
 * Tools of a Responses request as functions of Chat Completions. Those of a namespace (an MCP server's, an agent's own) have its
 * name before theirs, since functions have none; a call by that name is said back as the client knows it. So is a search for more
 * of them that the client does itself.
 */
import { hash } from "node:crypto";
import { z } from "zod";
import { read, writeFunction } from "./chat-parts.ts";
import type { CallKind, TellKind } from "./write-calls.ts";

/** As its client knows it. */
export type ToolName = { name: string; namespace?: string };

export type ChatTools = {
  list: object[];
  dropped: string[];
  /** Whose call it is. A name that the model made up is said as it is. */
  find(chatName: string): ToolName;
  kindOf: TellKind;
};

export const toolList = z.array(z.looseObject({ type: z.string(), name: z.string().optional() }));
export type ToolList = z.infer<typeof toolList>;

/** Where tools stand that have no other: calls of them name none. */
const PLAIN_NAMESPACE = "functions";
/** As OpenAI and servers after it take them. */
const MAX_NAME_CHARS = 64;

/** The name of a tool there: the same for the tool and for earlier calls of it. */
export function nameFunction({ name, namespace }: ToolName): string {
  if (namespace === undefined || namespace === PLAIN_NAMESPACE) return name;
  const whole = `${namespace}__${name}`;
  return whole.length <= MAX_NAME_CHARS
    ? whole
    : `${whole.slice(0, MAX_NAME_CHARS - 9)}_${hash("sha256", whole).slice(0, 8)}`;
}

type FlatTool = { tool: ToolList[number]; known: ToolName; path: string };

function* flatten(tools: ToolList, path: string, namespace?: string): Generator<FlatTool> {
  for (const [index, tool] of tools.entries()) {
    const { type, name = "" } = tool;
    const at = `${path}[${index}]`;
    const isPlain = namespace === undefined || namespace === PLAIN_NAMESPACE;
    if (type === "namespace" && namespace === undefined) {
      yield* flatten(read(toolList, tool.tools ?? [], `${at}.tools`), `${at}.tools`, name);
    } else yield { tool, path: at, known: isPlain ? { name } : { name, namespace } };
  }
}

/** Of tools that may be found again and again, the latest definition holds, in the place of the first. */
export function writeTools(tools: ToolList): ChatTools {
  const list = new Map<string, object>();
  const kinds = new Map<string, CallKind>();
  const names = new Map<string, ToolName>();
  const dropped: string[] = [];
  for (const { tool, known, path } of flatten(tools, "tools")) {
    const kind = readKind(tool);
    if (kind === null) {
      dropped.push(`${path}: ${tool.type}`);
      continue;
    }
    const chatName = kind === "search_call" ? SEARCH_NAME : nameFunction(known);
    names.set(chatName, known);
    kinds.set(chatName, kind);
    const isText = kind === "custom_call";
    const { description, parameters, strict } = tool;
    list.set(
      chatName,
      writeFunction(chatName, description, isText ? FREE_TEXT : parameters, isText ? undefined : strict),
    );
  }
  return {
    list: [...list.values()],
    dropped,
    find: (chatName) => names.get(chatName) ?? { name: chatName },
    kindOf: (chatName) => kinds.get(chatName) ?? "call",
  };
}

/** The search for tools as a function; its client looks for them and shows what it found. */
export const SEARCH_NAME = "tool_search";

/** Null for those that only the provider could run. */
function readKind({ type, execution }: ToolList[number]): CallKind | null {
  if (type === "function") return "call";
  if (type === "custom") return "custom_call";
  return type === "tool_search" && isForClient(execution) ? "search_call" : null;
}

/** What the provider looks for it finds among the tools that it was told of, and these are all shown. */
export const isForClient = (execution: unknown): boolean => execution === "client";

/** What a search found, for the model: from then on they are among its tools. */
export function describeFound(tools: ToolList, path: string): string {
  const found = Array.from(
    flatten(tools, path),
    ({ tool, known }) => `${nameFunction(known)}: ${tool.description ?? ""}`,
  );
  return found.length === 0 ? "Nothing was found." : ["These can be called now:", ...found].join("\n");
}

const FREE_TEXT = {
  type: "object",
  properties: { input: { type: "string", description: "The tool's whole input." } },
  required: ["input"],
  additionalProperties: false,
};
