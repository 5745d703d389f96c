/** What goes into a response of Claude Code: results of tools, and what a person said. */
import type { HistoryEvent, HistoryObservation } from "@centspan/model";
import { isObject, type JsonObject, listAt, objectAt, textAt, textOf } from "../json-values.ts";
import { hashOf, sizeOf, toNs } from "../local/content.ts";
import { findCommits, recogniseTests } from "../local/recognise-tests.ts";
import { type Lane, type OpenTool, toEvent } from "./state.ts";

const READ_ONLY = new Set(["Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "TaskOutput"]);
const WRITING = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const AGENT_TOOLS = new Set(["Task", "Agent"]);
const SHELL = "Bash";

type At = { atMs: number; line: number };

/** The events of the results in a line. What a result is of may have been written before this file, or not at all. */
export function readToolResults(
  lane: Lane,
  value: JsonObject,
  message: JsonObject,
  { atMs, line }: At,
): HistoryEvent[] {
  const events: HistoryEvent[] = [];
  for (const block of listAt(message, "content")) {
    if (!isObject(block) || block.type !== "tool_result") continue;
    const id = textAt(block, "tool_use_id");
    const tool = lane.tools[id];
    lane.inputAtMs = Math.max(lane.inputAtMs, atMs);
    const agentId = textAt(objectAt(value, "toolUseResult"), "agentId");
    if (agentId !== "")
      events.push(toEvent({ kind: "agent", agentId, toolCallId: id, name: "", atNs: toNs(atMs) }, lane, line));
    if (tool === undefined) continue;
    delete lane.tools[id];
    events.push(toEvent(toToolRun(lane, id, tool, { block, value, atMs }), lane, line));
  }
  return events;
}

function toToolRun(
  { thread, keepsContent }: Lane,
  toolCallId: string,
  tool: OpenTool,
  { block, value, atMs }: { block: JsonObject; value: JsonObject; atMs: number },
): HistoryObservation {
  const output = typeof block.content === "string" ? block.content : textOf(block.content);
  const isError = block.is_error === true;
  const exitCode = tool.name === SHELL ? exitCodeOf(output, isError, objectAt(value, "toolUseResult")) : null;
  return {
    ...describeTool(toolCallId, tool),
    endedAtNs: toNs(Math.max(atMs, tool.startedAtMs)),
    outputBytes: typeof block.content === "string" ? sizeOf(output) : sizeOf(JSON.stringify(block.content ?? "")),
    outputHash: hashOf(thread.sessionId, output),
    isError,
    exitCode,
    tests: recogniseTests(tool.command, output, exitCode),
    commits: findCommits(tool.command, output),
    ...(keepsContent && { outputText: output }),
  };
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

/** The client writes the code only of a failed command; a background command has none yet. */
function exitCodeOf(output: string, isError: boolean, result: JsonObject): number | null {
  const said = /^(?:Error: )?Exit code (\d+)/.exec(output)?.[1];
  if (said !== undefined) return Number(said);
  return isError || result.interrupted === true || textAt(result, "backgroundTaskId") !== "" ? null : 0;
}

/** Tools that will have no result any more. */
export function releaseTools(lane: Lane): HistoryEvent[] {
  const events = Object.entries(lane.tools).map(([id, tool]) =>
    toEvent(
      {
        ...describeTool(id, tool),
        endedAtNs: toNs(tool.startedAtMs),
        outputBytes: null,
        outputHash: "",
        isError: false,
        exitCode: null,
        tests: null,
        commits: [],
      },
      lane,
      tool.line,
    ),
  );
  lane.tools = {};
  return events;
}

/** Not a person's: what the client puts in on its own. */
const CLIENTS_OWN = /^\s*(<(local-command-|bash-std|task-notification|system-reminder)|\[Request interrupted)/;

/** The person's message in a line, if it is one. In an agent's conversation it is what the agent was told. */
export function noteInput(
  lane: Lane,
  value: JsonObject,
  message: JsonObject,
  { atMs, hasResults }: { atMs: number; hasResults: boolean },
): HistoryObservation | null {
  const uuid = textAt(value, "uuid");
  lane.inputKey = uuid || lane.inputKey;
  if (hasResults || value.isMeta === true || value.isCompactSummary === true) return null;
  if (listAt(message, "content").some((block) => isObject(block) && block.type === "tool_result")) return null;
  const text = textOf(message.content);
  if (CLIENTS_OWN.test(text)) return null;
  const original = textAt(objectAt(value, "forkedFrom"), "messageUuid");
  const key = original || uuid || `${lane.thread.threadId}:${textAt(value, "timestamp")}`;
  const said = lane.keepsContent ? { messageText: text } : {};
  return { kind: "turn", key, bytes: sizeOf(text), atNs: toNs(atMs), ...said };
}
