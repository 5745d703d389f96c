/**
 * Lines of a Codex rollout → events. Every line is an envelope `timestamp, ordinal?, type, payload`. Items of an answer come
 * first, then its usage, then what its tools returned (old releases: usage last): a response is held back until the next
 * one's usage or the end of its turn.
 */
import type { HistoryEvent, HistoryMemory, HistoryReader, HistorySource, LineProblem } from "@centspan/model";
import { parseLine } from "../claude-code/read-lines.ts";
import { instantAt, isObject, type JsonObject, listAt, numberAt, objectAt, textAt, textOf } from "../json-values.ts";
import { hashOf, sizeOf, toNs } from "../local/content.ts";
import { readRecord, readTokenCount, releaseCall } from "./count-usage.ts";
import { noteMessage } from "./kinship.ts";
import { readHeader, readTurnContext } from "./read-header.ts";
import { closeTool, noteCommandEnd, openTool, releaseTools } from "./read-tools.ts";
import { type CodexState, restoreState, threadOf, toEvent } from "./state.ts";

type At = { atMs: number; line: number; isCopied: boolean };

export function openCodexReader({ path, saved, memory, keepsContent }: HistorySource): HistoryReader {
  const state = restoreState(saved);
  state.keepsContent = keepsContent;
  const fallbackId = /([0-9a-f]{8}-[0-9a-f-]{27})[^/]*$/.exec(path)?.[1] ?? path;
  return {
    readLine(text, number) {
      const line = parseLine(text, number);
      if (!("value" in line)) return line;
      return readEnvelope(state, memory, line.value, { fallbackId, line: number });
    },
    // A tool may run for longer than anybody waits: what it returned may come yet.
    close: () => releaseCall(state),
    save: () => state,
  };
}

function readEnvelope(
  state: CodexState,
  memory: HistoryMemory,
  value: JsonObject,
  { fallbackId, line }: { fallbackId: string; line: number },
): readonly HistoryEvent[] | LineProblem {
  const [type, payload] = [textAt(value, "type"), value.payload];
  if (isBare(value)) return [];
  if (type === "") return { line, problem: "unknown_shape", field: "type" };
  if (!isObject(payload)) return { line, problem: "unknown_shape", field: "payload" };
  const atMs = instantAt(value, "timestamp") ?? state.lastAtMs;
  state.lastAtMs = atMs;
  if (state.thread === null) {
    readHeader(state, type === "session_meta" ? payload : {}, fallbackId, memory);
    if (type === "session_meta") return [];
  }
  const ordinal = numberAt(value, "ordinal");
  const at = { atMs, line, isCopied: ordinal !== null && ordinal < state.boundary };
  if (type === "token_usage_record") return withMark(state, at, readRecord(state, memory, payload, at));
  if (type === "event_msg") return readEvent(state, memory, payload, at);
  if (at.isCopied) return [];
  if (type === "session_meta") return isResumed(state, payload) ? [mark(state, "resumed", at)] : [];
  if (type === "turn_context") readTurnContext(state, payload);
  if (type === "compacted") return readCompaction(state, payload, at);
  return type === "response_item" ? readItem(state, memory, payload, at) : [];
}

/** The first releases wrote items and headers without an envelope, and no usage. */
function isBare(value: JsonObject): boolean {
  if (value.payload !== undefined) return false;
  return value.type === undefined ? "id" in value || "record_type" in value : value.timestamp === undefined;
}

const mark = (state: CodexState, name: "resumed" | "forked" | "compacted", { atMs, line }: At): HistoryEvent =>
  toEvent(state, { kind: "mark", mark: name, atNs: toNs(atMs) }, line);

/** A thread's own header stands at its beginning, and again where it is taken up. */
const isResumed = (state: CodexState, payload: JsonObject): boolean =>
  state.calls > 0 && textAt(payload, "id") === threadOf(state).threadId;

/** The first response of a fork's own. */
function withMark(state: CodexState, at: At, events: HistoryEvent[]): readonly HistoryEvent[] {
  const isFirst = state.calls === 1 && state.pending?.line === at.line;
  return isFirst && threadOf(state).isFork ? [...events, mark(state, "forked", at)] : events;
}

function readEvent(state: CodexState, memory: HistoryMemory, said: JsonObject, at: At): readonly HistoryEvent[] {
  const type = textAt(said, "type");
  if (type === "token_count") return withMark(state, at, readTokenCount(state, memory, said, at));
  if (at.isCopied) return [];
  if (type === "task_started") {
    state.turnId = textAt(said, "turn_id") || state.turnId;
    state.isTurnActive = true;
  }
  if (type === "thread_settings_applied") {
    const settings = objectAt(said, "thread_settings");
    state.model = textAt(settings, "model") || state.model;
    if (!state.isTurnActive && state.calls > 0) return [mark(state, "resumed", at)];
  }
  if (type === "item_completed") {
    const item = objectAt(said, "item");
    if (item.type === "CommandExecution") noteCommandEnd(state, item, numberAt(said, "completed_at_ms"));
  }
  if (type !== "task_complete" && type !== "turn_aborted") return [];
  state.isTurnActive = false;
  return [...releaseTools(state), ...releaseCall(state)];
}

function readCompaction(state: CodexState, payload: JsonObject, at: At): HistoryEvent[] {
  const key = textAt(payload, "compaction_response_id") || `${threadOf(state).threadId}:${at.line}`;
  const [, , , , , before = null] = state.total ?? [];
  const compaction = { kind: "compaction", key, atNs: toNs(at.atMs), beforeTokens: null, trigger: "" } as const;
  state.response = null;
  return before === null && state.calls === 0
    ? []
    : [toEvent(state, compaction, at.line), mark(state, "compacted", at)];
}

const TOOL_CALLS = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "web_search_call",
  "tool_search_call",
]);
const TOOL_OUTPUTS = new Set(["function_call_output", "custom_tool_call_output", "tool_search_output"]);

function readItem(state: CodexState, memory: HistoryMemory, item: JsonObject, at: At): readonly HistoryEvent[] {
  const type = textAt(item, "type");
  if (TOOL_OUTPUTS.has(type)) {
    const events = closeTool(state, item, at);
    state.inputAtMs = at.atMs;
    state.inputKey = textAt(item, "call_id");
    return events;
  }
  if (type === "message" && textAt(item, "role") !== "assistant") return readMessage(state, memory, item, at);
  if (type !== "message" && type !== "reasoning" && !TOOL_CALLS.has(type)) return [];
  openResponse(state, item, at);
  if (state.keepsContent && type === "message") noteAnswer(state, textOf(item.content));
  if (TOOL_CALLS.has(type)) openTool(state, item, at);
  return [];
}

function noteAnswer({ response }: CodexState, text: string): void {
  if (response !== null && text !== "")
    response.answerText = [response.answerText ?? "", text].filter(Boolean).join("\n");
}

/** An item belongs to the answer that is open, unless that has had its usage, or what its tools returned is there. */
function openResponse(state: CodexState, item: JsonObject, { atMs }: At): void {
  const open = state.response;
  if (open === null || open.isAnswered || state.inputAtMs > open.endedAtMs) {
    const localKey = `${threadOf(state).threadId}:${textAt(item, "call_id") || textAt(item, "id") || atMs}`;
    const { inputAtMs, inputKey } = state;
    state.response = { localKey, inputAtMs, inputKey, endedAtMs: atMs, isAnswered: false };
  } else {
    open.endedAtMs = Math.max(open.endedAtMs, atMs);
  }
}

/** What the client puts before what the person says. */
const CLIENTS_OWN =
  /^\s*(<(environment_context|user_instructions|permissions|skills|turn_aborted|INSTRUCTIONS|collaboration_mode|subagent_notification)|# AGENTS\.md)/;

function readMessage(state: CodexState, memory: HistoryMemory, item: JsonObject, at: At): readonly HistoryEvent[] {
  state.inputAtMs = at.atMs;
  if (textAt(item, "role") !== "user") return [];
  const text = textOf(item.content);
  const kinds = listAt(objectAt(item, "internal_chat_message_metadata_passthrough"), "content_item_kinds");
  const isPersons = kinds.length > 0 ? kinds.some((kind) => String(kind).startsWith("user.")) : !CLIENTS_OWN.test(text);
  if (!isPersons) return [];
  const said = hashOf("", text);
  const isParents = noteMessage(state, memory, said);
  const key = state.turnId || textAt(item, "id") || `${threadOf(state).threadId}:${said}:${at.line}`;
  state.inputKey = textAt(item, "id") || key;
  if (isParents) {
    const copied = { kind: "removed", reason: "copied_message", tokens: 0, atNs: toNs(at.atMs) } as const;
    return [toEvent(state, copied, at.line)];
  }
  if (state.toldTurn === key) return [];
  state.toldTurn = key;
  const released = [...releaseTools(state), ...releaseCall(state)];
  const turn = { kind: "turn", key, bytes: sizeOf(text), atNs: toNs(at.atMs) } as const;
  return [...released, toEvent(state, state.keepsContent ? { ...turn, messageText: text } : turn, at.line)];
}
