/** Lines of Claude Code that are no messages: pull requests, compactions, retries, and copies of messages inside of others. */
import type { HistoryEvent, LineProblem } from "@centspan/model";
import { instantAt, isObject, type JsonObject, numberAt, objectAt, textAt } from "../json-values.ts";
import { toNs } from "../local/content.ts";
import { totalOf } from "../usage-total.ts";
import { readClaudeUsage } from "./read-usage.ts";
import { type ClaudeState, type Lane, toEvent } from "./state.ts";

export function readNotice(
  state: ClaudeState,
  lane: Lane,
  value: JsonObject,
  line: number,
): readonly HistoryEvent[] | LineProblem {
  const type = textAt(value, "type");
  if (type === "") return { line, problem: "unknown_shape", field: "type" };
  const atNs = toNs(instantAt(value, "timestamp") ?? lane.lastAtMs);
  if (type === "last-prompt") state.wasLeft = true;
  if (type === "pr-link") return readPullRequest(state, lane, value, line, atNs);
  if (type === "progress") return readCopy(lane, value, line, atNs);
  if (type === "system") return readSystem(lane, value, line, atNs);
  return [];
}

/** The same one is written again and again. */
function readPullRequest(
  state: ClaudeState,
  lane: Lane,
  value: JsonObject,
  line: number,
  atNs: bigint,
): readonly HistoryEvent[] | LineProblem {
  const [repository, url] = [textAt(value, "prRepository"), textAt(value, "prUrl")];
  const number = numberAt(value, "prNumber");
  if (number === null) return { line, problem: "unknown_shape", field: "prNumber" };
  const name = `${repository}#${number}`;
  if (state.pullRequests.includes(name)) return [];
  state.pullRequests.push(name);
  return [toEvent({ kind: "pullRequest", repository, number, url, atNs }, lane, line)];
}

/** An agent's messages are in its own file: those in here are copies, never spend. */
function readCopy(lane: Lane, value: JsonObject, line: number, atNs: bigint): readonly HistoryEvent[] {
  const inner = objectAt(objectAt(value, "data"), "message");
  const message = isObject(inner.message) ? inner.message : inner;
  if (!isObject(message.usage)) return [];
  const tokens = totalOf(readClaudeUsage(message.usage));
  return [toEvent({ kind: "removed", reason: "copied_message", tokens, atNs }, lane, line)];
}

function readSystem(lane: Lane, value: JsonObject, line: number, atNs: bigint): readonly HistoryEvent[] {
  const subtype = textAt(value, "subtype");
  if (subtype === "api_error") lane.retries += 1;
  if (subtype !== "compact_boundary") return [];
  const about = objectAt(value, "compactMetadata");
  const key = textAt(value, "uuid") || `${lane.thread.threadId}:${line}`;
  return [
    toEvent(
      { kind: "compaction", key, atNs, beforeTokens: numberAt(about, "preTokens"), trigger: textAt(about, "trigger") },
      lane,
      line,
    ),
    toEvent({ kind: "mark", mark: "compacted", atNs }, lane, line),
  ];
}
