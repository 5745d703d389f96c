/**
 * Lines of Claude Code → events. A response is written as one line for each block of its content, each with the usage so
 * far: it is held back until another response or a person's message follows in its conversation, and the largest usage is
 * told. Copies of messages inside `progress` lines, and what the client itself says as `<synthetic>`, are no spend.
 */
import type {
  HistoryEvent,
  HistoryMemory,
  HistoryReader,
  HistorySource,
  HistoryThread,
  LineProblem,
} from "@centspan/model";
import { instantAt, isObject, type JsonObject, listAt, numberAt, objectAt, textAt, textOf } from "../json-values.ts";
import { hashOf, sizeOf, toCanonicalText, toNs } from "../local/content.ts";
import { describeCommand } from "../local/recognise-tests.ts";
import { totalOf } from "../usage-total.ts";
import { noteInput, readToolResults, releaseTools } from "./read-input.ts";
import { readNotice } from "./read-notices.ts";
import { readAdvice, readClaudeUsage, serviceTierOf } from "./read-usage.ts";
import { type ClaudeState, type Lane, type PendingCall, restoreState, toEvent } from "./state.ts";

/** What the path and the companion say of the file, for lines that say it not. */
type FileFacts = { sessionId: string; agentId: string; agentName: string; toolCallId: string } & Pick<
  HistorySource,
  "memory" | "keepsContent"
>;

export function openClaudeReader(source: HistorySource): HistoryReader {
  const state = restoreState(source.saved);
  const facts = readFileFacts(source);
  return {
    readLine(text, number) {
      const line = parseLine(text, number);
      if (!("value" in line)) return line;
      return readValue(state, facts, line.value, number);
    },
    // A tool may run for longer than anybody waits: what it returned may come yet.
    close: () => Object.values(state.lanes).flatMap(releaseCall),
    save: () => state,
  };
}

/** What every reader of such files does first. */
export function parseLine(text: string, line: number): { value: JsonObject } | LineProblem {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value } : { line, problem: "not_an_object", field: "" };
  } catch {
    return { line, problem: "broken_json", field: "" };
  }
}

function readFileFacts({ path, companion, memory, keepsContent }: HistorySource): FileFacts {
  const [, above = "", agentId = ""] = /(?:([^/]+)\/subagents\/(?:.*\/)?)?agent-([^/]+)\.jsonl$/.exec(path) ?? [];
  const sessionId = agentId === "" ? (/([^/]+)\.jsonl$/.exec(path)?.[1] ?? "") : above;
  const meta = companion === null ? null : parseLine(companion, 0);
  const said = meta !== null && "value" in meta ? meta.value : {};
  return {
    sessionId,
    agentId,
    agentName: textAt(said, "agentType"),
    toolCallId: textAt(said, "toolUseId"),
    memory,
    keepsContent,
  };
}

function readValue(
  state: ClaudeState,
  facts: FileFacts,
  value: JsonObject,
  number: number,
): readonly HistoryEvent[] | LineProblem {
  const type = textAt(value, "type");
  if (type !== "assistant" && type !== "user") return readNotice(state, laneOf(state, facts, value), value, number);
  if (!isObject(value.message)) return { line: number, problem: "unknown_shape", field: "message" };
  const lane = laneOf(state, facts, value);
  const events: HistoryEvent[] = [];
  noteMarks(state, lane, value, number, events);
  if (type === "assistant") readAnswer(lane, value, value.message, number, events);
  else readInputLine(state, lane, { value, message: value.message, line: number }, events);
  return events;
}

/** A copied line belongs to the session that it was copied from, whoever holds the copy. */
function laneOf(state: ClaudeState, facts: FileFacts, value: JsonObject): Lane {
  const copied = textAt(objectAt(value, "forkedFrom"), "sessionId");
  const own = textAt(value, "sessionId") || facts.sessionId;
  if (copied !== "" && copied !== own && !facts.memory.has(`forked:${own}`)) facts.memory.set(`forked:${own}`, copied);
  const sessionId = copied || own;
  const agentId = textAt(value, "agentId") || facts.agentId || (value.isSidechain === true ? "sidechain" : "");
  const threadId = agentId === "" ? sessionId : `${sessionId}/${agentId}`;
  const known = state.lanes[threadId];
  const lane = known ?? {
    thread: toThread(facts, sessionId, agentId, threadId),
    context: { cwd: "", repositoryUrl: "", branch: "", commit: "", version: "", entrypoint: "" },
    pending: null,
    tools: {},
    lastAtMs: 0,
    inputAtMs: 0,
    inputKey: "",
    retries: 0,
    keepsContent: facts.keepsContent,
  };
  lane.keepsContent = facts.keepsContent;
  state.lanes[threadId] = lane;
  const said = {
    cwd: textAt(value, "cwd") || lane.context.cwd,
    branch: branchOf(value) ?? lane.context.branch,
    version: textAt(value, "version") || lane.context.version,
    entrypoint: textAt(value, "entrypoint") || lane.context.entrypoint,
  };
  const { cwd, branch, version, entrypoint } = lane.context;
  if (cwd !== said.cwd || branch !== said.branch || version !== said.version || entrypoint !== said.entrypoint)
    lane.context = { ...lane.context, ...said };
  return lane;
}

/** `HEAD` is what it writes outside of a repository, and without a branch. Undefined where the line says nothing. */
function branchOf(value: JsonObject): string | undefined {
  if (typeof value.gitBranch !== "string") return undefined;
  return value.gitBranch === "HEAD" ? "" : value.gitBranch;
}

function toThread(facts: FileFacts, sessionId: string, agentId: string, threadId: string): HistoryThread {
  const forkedFrom = facts.memory.get(`forked:${sessionId}`) ?? "";
  return {
    sessionId,
    rootSessionId: rootOf(facts.memory, sessionId),
    threadId,
    agentId,
    agentName: agentId === "" ? "" : facts.agentName,
    parentThreadId: agentId === "" ? forkedFrom : sessionId,
    isFork: agentId === "" && forkedFrom !== "",
    parentToolCallId: facts.toolCallId,
  };
}

/** Up the forks; a ring of them, which only a forged file has, ends where it was entered. */
function rootOf(memory: HistoryMemory, sessionId: string): string {
  const seen = new Set<string>();
  let root = sessionId;
  for (
    let above = memory.get(`forked:${root}`);
    above !== undefined && !seen.has(above);
    above = memory.get(`forked:${root}`)
  ) {
    seen.add(above);
    root = above;
  }
  return root;
}

/** The first own line after copied ones begins what the copying was for; another release of the client means a new start. */
function noteMarks(state: ClaudeState, lane: Lane, value: JsonObject, line: number, events: HistoryEvent[]): void {
  const isCopied = isObject(value.forkedFrom);
  if (state.wasCopying && !isCopied) {
    events.push(toEvent({ kind: "mark", mark: "forked", atNs: toNs(instantAt(value, "timestamp") ?? 0) }, lane, line));
  }
  state.wasCopying = isCopied;
}

function readAnswer(lane: Lane, value: JsonObject, message: JsonObject, line: number, events: HistoryEvent[]): void {
  const atMs = instantAt(value, "timestamp") ?? lane.lastAtMs;
  lane.lastAtMs = atMs;
  const usage = isObject(message.usage) ? readClaudeUsage(message.usage) : null;
  const model = textAt(message, "model");
  if (model === "<synthetic>" || value.isApiErrorMessage === true) {
    const removed = { kind: "removed", reason: "synthetic", tokens: totalOf(usage), atNs: toNs(atMs) } as const;
    events.push(toEvent(removed, lane, line));
    return;
  }
  const key = keyOf(lane, value, message);
  if (lane.pending?.key !== key) {
    events.push(...releaseCall(lane));
    lane.pending = beginCall(lane, value, message, { key, usage, atMs, line });
  } else {
    growCall(lane, lane.pending, { message, usage, atMs, line }, events);
  }
  for (const block of listAt(message, "content")) if (isObject(block)) openTool(lane, block, key, atMs, line);
}

/** Where the request has no id, messages are told apart within their session; without any id each line is its own. */
function keyOf({ thread }: Lane, value: JsonObject, message: JsonObject): string {
  const [id, requestId] = [textAt(message, "id"), textAt(value, "requestId")];
  if (id === "") return `line:${textAt(value, "uuid") || `${thread.threadId}:${textAt(value, "timestamp")}`}`;
  return requestId === "" ? `${thread.sessionId}:${id}` : `${id}:${requestId}`;
}

function beginCall(
  lane: Lane,
  value: JsonObject,
  message: JsonObject,
  { key, usage, atMs, line }: { key: string; usage: PendingCall["usage"]; atMs: number; line: number },
): PendingCall {
  const said = objectAt(message, "usage");
  const costUsd = numberAt(value, "costUSD");
  const id = textAt(message, "id");
  const startedAtMs = lane.inputAtMs > 0 && lane.inputAtMs <= atMs ? lane.inputAtMs : atMs;
  const call = {
    key,
    localKey: key,
    wideKey: id,
    isReplay: lane.thread.agentId !== "",
    inputKey: lane.inputKey,
    responseId: id,
    requestId: textAt(value, "requestId"),
    model: textAt(message, "model"),
    provider: id.startsWith("msg_bdrk_") ? "aws-bedrock" : "",
    effort: textAt(value, "effort"),
    serviceTier: serviceTierOf(said),
    region: textAt(said, "inference_geo"),
    stopReason: textAt(message, "stop_reason"),
    usage,
    // JSON has a number; its shortest decimal form is what the client wrote.
    providedCostUsd: costUsd === null ? "" : costUsd.toFixed(12).replace(/\.?0+$/, ""),
    startedAtMs,
    endedAtMs: atMs,
    retries: lane.retries,
    line,
    advice: readAdvice(said),
    lines: 1,
    ...(lane.keepsContent && { answerText: textOf(message.content) }),
  };
  lane.retries = 0;
  return call;
}

function growCall(
  lane: Lane,
  pending: PendingCall,
  next: { message: JsonObject; usage: PendingCall["usage"]; atMs: number; line: number },
  events: HistoryEvent[],
): void {
  const [before, after] = [totalOf(pending.usage), totalOf(next.usage)];
  const removed = { kind: "removed", reason: "growing_line", tokens: Math.min(before, after) } as const;
  events.push(toEvent({ ...removed, atNs: toNs(next.atMs) }, lane, next.line));
  if (after > before || pending.usage === null) {
    pending.usage = next.usage;
    pending.advice = readAdvice(objectAt(next.message, "usage"));
  }
  pending.endedAtMs = Math.max(pending.endedAtMs, next.atMs);
  pending.stopReason = textAt(next.message, "stop_reason") || pending.stopReason;
  pending.lines += 1;
  if (lane.keepsContent) pending.answerText = joinTexts(pending.answerText, textOf(next.message.content));
}

/** A line has the next block of the answer; one that is written again has the same. */
const joinTexts = (before = "", next: string): string =>
  next === "" || before.endsWith(next) ? before : [before, next].filter((text) => text !== "").join("\n");

function releaseCall(lane: Lane): HistoryEvent[] {
  const { pending } = lane;
  if (pending === null) return [];
  lane.pending = null;
  lane.inputAtMs = pending.endedAtMs;
  const { startedAtMs, endedAtMs, line, advice, lines: _, ...call } = pending;
  const times = { startedAtNs: toNs(startedAtMs), endedAtNs: toNs(endedAtMs) };
  const advised = advice.map(({ model, usage }, index) => {
    const names = { key: `${call.key}:advice ${index}`, wideKey: `${call.wideKey}:advice ${index}`, responseId: "" };
    return toEvent({ kind: "call", ...call, ...times, ...names, model, usage, inputKey: "" }, lane, line);
  });
  return [toEvent({ kind: "call", ...call, ...times }, lane, line), ...advised];
}

function openTool(lane: Lane, block: JsonObject, callKey: string, startedAtMs: number, line: number): void {
  const id = textAt(block, "id");
  if (block.type !== "tool_use" || id === "") return;
  const input = toCanonicalText(block.input ?? {});
  const name = textAt(block, "name");
  const inputHash = hashOf(lane.thread.sessionId, `${name} ${input}`);
  const command = describeCommand(textAt(objectAt(block, "input"), "command"));
  lane.tools[id] = { name, startedAtMs, inputBytes: sizeOf(input), inputHash, callKey, command, line };
  if (lane.keepsContent) lane.tools[id].inputText = input;
}

function readInputLine(
  state: ClaudeState,
  lane: Lane,
  { value, message, line }: { value: JsonObject; message: JsonObject; line: number },
  events: HistoryEvent[],
): void {
  const atMs = instantAt(value, "timestamp") ?? lane.lastAtMs;
  lane.lastAtMs = atMs;
  const answered = readToolResults(lane, value, message, { atMs, line });
  events.push(...answered);
  const turn = noteInput(lane, value, message, { atMs, hasResults: answered.length > 0 });
  if (turn === null) return;
  events.push(...releaseTools(lane), ...releaseCall(lane));
  lane.inputAtMs = atMs;
  events.push(toEvent(turn, lane, line));
  if (!state.wasLeft || lane.thread.agentId !== "") return;
  state.wasLeft = false;
  events.push(toEvent({ kind: "mark", mark: "resumed", atNs: toNs(atMs) }, lane, line));
}
