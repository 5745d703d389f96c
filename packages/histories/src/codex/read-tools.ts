/** Tools in a rollout: `function_call` and its kin with `…_output`, and what `item_completed` says of a command's end. */
import type { HistoryEvent } from "@centspan/model";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, textOf } from "../json-values.ts";
import { hashOf, sizeOf, toCanonicalText, toNs } from "../local/content.ts";
import { describeCommand, findCommits, recogniseTests } from "../local/recognise-tests.ts";
import { type CodexState, type OpenTool, threadOf, toEvent } from "./state.ts";

type At = { atMs: number; line: number };

/** Enough to know an answer by. */
const MOST_TOOL_IDS = 16;
const AGENT_TOOLS = new Set(["spawn_agent"]);
const READ_ONLY = new Set([
  "web_search_call",
  "view_image",
  "list_mcp_resources",
  "read_mcp_resource",
  "wait",
  "wait_agent",
]);
const WRITING = new Set(["apply_patch"]);

export function openTool(state: CodexState, item: JsonObject, { atMs, line }: At): void {
  const id = textAt(item, "call_id") || textAt(item, "id");
  if (id === "") return;
  const said = parseArguments(item);
  const input = typeof said === "string" ? said : toCanonicalText(said);
  const name = textAt(item, "name") || textAt(item, "type").replace(/_call$/, "");
  const { sessionId } = threadOf(state);
  if (state.toolIds.length < MOST_TOOL_IDS) state.toolIds.push(id);
  state.tools[id] = {
    name,
    startedAtMs: atMs,
    inputBytes: sizeOf(input),
    inputHash: hashOf(sessionId, `${name} ${input}`),
    callKey: state.response?.localKey ?? "",
    command: describeCommand(commandOf(said)),
    line,
    exitCode: null,
    endedAtMs: 0,
    ...(state.keepsContent && { inputText: input }),
  };
}

/** Arguments are JSON in a text, an object, or free text. */
function parseArguments(item: JsonObject): unknown {
  const text = textAt(item, "arguments");
  if (text === "") return item.action ?? item.input ?? "";
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of `["bash", "-lc", "npm test"]` only what the shell runs. */
function commandOf(said: unknown): string {
  if (!isObject(said)) return "";
  const command = textAt(said, "cmd") || textAt(said, "command");
  if (command !== "") return command;
  const words = listAt(said, "command").filter((word) => typeof word === "string");
  const [shell = "", flag = "", script = ""] = words;
  return /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) ? script : words.join(" ");
}

/** A command's own end, which is before its output is handed on. */
export function noteCommandEnd(state: CodexState, item: JsonObject, completedAtMs: number | null): void {
  const tool = state.tools[textAt(item, "id")];
  if (tool === undefined) return;
  tool.exitCode = numberAt(item, "exit_code");
  tool.endedAtMs = completedAtMs ?? 0;
}

export function closeTool(state: CodexState, item: JsonObject, { atMs, line }: At): HistoryEvent[] {
  const id = textAt(item, "call_id");
  const tool = state.tools[id];
  if (tool === undefined) return [];
  delete state.tools[id];
  const output = readOutput(item);
  const exitCode = tool.exitCode ?? output.exitCode;
  const event = {
    ...describeTool(id, tool),
    endedAtNs: toNs(Math.max(tool.endedAtMs || atMs, tool.startedAtMs)),
    outputBytes: sizeOf(output.text),
    outputHash: hashOf(threadOf(state).sessionId, output.text.replace(CHUNK_HEAD, "")),
    isError: output.isError || (exitCode ?? 0) !== 0,
    exitCode,
    tests: recogniseTests(tool.command, output.text, exitCode),
    commits: findCommits(tool.command, output.text),
    ...(state.keepsContent && { outputText: output.text }),
  };
  const agentId = AGENT_TOOLS.has(tool.name) ? (/"agent_id"\s*:\s*"([^"]+)"/.exec(output.text)?.[1] ?? "") : "";
  const agent = { kind: "agent", agentId, toolCallId: id, name: "", atNs: toNs(atMs) } as const;
  return [toEvent(state, event, line), ...(agentId === "" ? [] : [toEvent(state, agent, line)])];
}

const describeTool = (toolCallId: string, { name, ...tool }: OpenTool) =>
  ({
    kind: "tool",
    toolCallId,
    name,
    callKey: tool.callKey,
    startedAtNs: toNs(tool.startedAtMs),
    inputBytes: tool.inputBytes,
    inputHash: tool.inputHash,
    ...(tool.inputText !== undefined && { inputText: tool.inputText }),
    runsAgent: AGENT_TOOLS.has(name),
    readOnly: READ_ONLY.has(name) ? true : WRITING.has(name) ? false : null,
  }) as const;

/** Names the piece of output and says how long it took: other words for the same output. */
const CHUNK_HEAD = /^Chunk ID: (?:.*\n){1,6}?Output:\n/;

/** Text, parts, or JSON `{output, metadata: {exit_code}}` in a text, by the age of the client. */
function readOutput(item: JsonObject): { text: string; exitCode: number | null; isError: boolean } {
  const { output } = item;
  if (isObject(output)) {
    const text = textAt(output, "content") || textOf(output.content);
    return { text, exitCode: null, isError: output.success === false };
  }
  const text = textOf(output);
  const wrapped = text.startsWith('{"output"') ? parseWrapped(text) : null;
  if (wrapped !== null) {
    const exitCode = numberAt(objectAt(wrapped, "metadata"), "exit_code");
    return { text: textAt(wrapped, "output"), exitCode, isError: false };
  }
  const code = /^(?:.*\n){0,6}?(?:Process exited with code|Exit code:) (-?\d+)/.exec(text)?.[1];
  return { text, exitCode: code === undefined ? null : Number(code), isError: false };
}

function parseWrapped(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Tools that will have no result any more. */
export function releaseTools(state: CodexState): HistoryEvent[] {
  const nothing = { outputBytes: null, outputHash: "", isError: false, exitCode: null, tests: null, commits: [] };
  const events = Object.entries(state.tools).map(([id, tool]) =>
    toEvent(state, { ...describeTool(id, tool), endedAtNs: toNs(tool.startedAtMs), ...nothing }, tool.line),
  );
  state.tools = {};
  return events;
}
