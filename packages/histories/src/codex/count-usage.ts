/**
 * Which of the usage in a rollout is of a response of this thread. A `token_usage_record` names its response; without one,
 * a `token_count` whose total moved on is one. What a fork or an agent copied of its parent's history is the parent's: it is
 * known by its counts, as long as everything before it was the parent's too, and by the person's message above it. When it
 * is said to have happened decides nothing, since copies are dated as their makers like.
 */
import type { HistoryEvent, HistoryMemory, RemovalReason } from "@centspan/model";
import { isObject, type JsonObject, objectAt, textAt } from "../json-values.ts";
import { hashOf, toNs } from "../local/content.ts";
import { totalOf } from "../usage-total.ts";
import { isParents, noteUsage } from "./kinship.ts";
import { type CodexState, type PendingCall, threadOf, toEvent } from "./state.ts";
import { type Counts, differenceOf, isEmpty, isSame, readCounts, readLimits, toUsage } from "./usage.ts";

type At = { atMs: number; line: number; isCopied: boolean };

/** Records that a snapshot may still be written of; more than any client keeps open. */
const MOST_UNSEEN = 16;
/** Ids that servers for tests number their answers with are not unique: they count within their session. */
const SHORTEST_ID = 12;

export function readRecord(state: CodexState, memory: HistoryMemory, said: JsonObject, at: At): HistoryEvent[] {
  const counts = readCounts(said.usage);
  const responseId = textAt(said, "response_id");
  if (counts === null) return [];
  const thread = threadOf(state);
  const owner = textAt(said, "thread_id");
  const isCopied = at.isCopied || (owner !== "" && owner !== thread.threadId);
  state.unseen = [...state.unseen, counts].slice(-MOST_UNSEEN);
  // A snapshot of the same response came first: it is given its name.
  if (!isCopied && state.pending?.responseId === "" && isSame(state.pending.counts, counts)) {
    const named = state.pending;
    named.responseId = responseId;
    named.key = keyOf(state, responseId);
    state.unseen.pop();
    return [];
  }
  state.toolIds = [];
  const total = readCounts(said.thread_token_usage);
  if (total !== null) state.total = total;
  if (isCopied) return [remove(state, "copied_history", counts, at)];
  const events = releaseCall(state);
  hold(state, counts, { key: keyOf(state, responseId), responseId }, at);
  memory.set(`total:${thread.threadId}`, JSON.stringify(state.total));
  return events;
}

const keyOf = (state: CodexState, responseId: string): string =>
  responseId.length >= SHORTEST_ID ? `response:${responseId}` : `${threadOf(state).sessionId}:${responseId}`;

export function readTokenCount(state: CodexState, memory: HistoryMemory, said: JsonObject, at: At): HistoryEvent[] {
  const limits = readLimitChanges(state, said, at);
  const info = objectAt(said, "info");
  const total = readCounts(info.total_token_usage);
  const told = readCounts(info.last_token_usage);
  if (total === null && told === null) return limits;
  const seen = told === null ? -1 : state.unseen.findIndex((counts) => isSame(counts, told));
  if (seen >= 0) {
    state.unseen.splice(seen, 1);
    state.total = total ?? state.total;
    return limits;
  }
  if (total !== null && isSame(total, state.total))
    return [...limits, remove(state, "repeated_snapshot", told ?? total, at)];
  const difference = total === null ? null : sinceLast(state, memory, total);
  const counts = told ?? difference ?? total;
  if (state.total !== null && total !== null && differenceOf(total, state.total) === null) state.epoch += 1;
  state.total = total ?? state.total;
  if (counts === null || isEmpty(counts)) return limits;
  const mark = hashOf("", JSON.stringify([told, total]));
  const isCopied = at.isCopied || isParents(state, memory, mark);
  noteUsage(state, memory, mark);
  if (isCopied) return [...limits, remove(state, "copied_history", counts, at)];
  const events = [...limits, ...releaseCall(state)];
  const { threadId } = threadOf(state);
  hold(state, counts, { key: `${threadId}:${state.epoch}:${mark}`, responseId: "" }, at);
  memory.set(`total:${threadId}`, JSON.stringify(state.total));
  return events;
}

/** Where only totals are written: what came since the last, or since the fork where the parent's total is known. */
function sinceLast(state: CodexState, memory: HistoryMemory, total: Counts): Counts | null {
  if (state.total !== null) return differenceOf(total, state.total);
  const known = memory.get(`total:${threadOf(state).parentThreadId}`);
  const base: unknown = known === undefined ? null : JSON.parse(known);
  return Array.isArray(base) ? differenceOf(total, base.map(Number)) : null;
}

function hold(
  state: CodexState,
  counts: Counts,
  names: Pick<PendingCall, "key" | "responseId">,
  { atMs, line }: At,
): void {
  const open = state.response !== null && !state.response.isAnswered ? state.response : null;
  const inputAtMs = open?.inputAtMs ?? state.inputAtMs;
  const endedAtMs = open?.endedAtMs ?? atMs;
  state.calls += 1;
  state.pending = {
    ...names,
    wideKey: names.key,
    localKey: open?.localKey ?? names.key,
    inputKey: open?.inputKey ?? state.inputKey,
    counts,
    model: state.model,
    effort: state.effort,
    startedAtMs: inputAtMs > 0 && inputAtMs <= endedAtMs ? inputAtMs : endedAtMs,
    endedAtMs,
    line,
    ...(open?.answerText !== undefined && { answerText: open.answerText }),
  };
  if (state.response !== null) state.response.isAnswered = true;
}

export function releaseCall(state: CodexState): HistoryEvent[] {
  const { pending } = state;
  if (pending === null) return [];
  state.pending = null;
  const { counts, startedAtMs, endedAtMs, line, ...call } = pending;
  const times = { startedAtNs: toNs(startedAtMs), endedAtNs: toNs(endedAtMs) };
  const said = {
    provider: state.provider,
    serviceTier: "",
    region: "",
    stopReason: "",
    requestId: "",
    providedCostUsd: "",
    retries: 0,
  };
  return [toEvent(state, { kind: "call", ...call, ...said, ...times, isReplay: false, usage: toUsage(counts) }, line)];
}

function remove(state: CodexState, reason: RemovalReason, counts: Counts, { atMs, line }: At): HistoryEvent {
  return toEvent(state, { kind: "removed", reason, tokens: totalOf(toUsage(counts)), atNs: toNs(atMs) }, line);
}

function readLimitChanges(state: CodexState, said: JsonObject, { atMs, line }: At): HistoryEvent[] {
  if (!isObject(said.rate_limits)) return [];
  return readLimits(said.rate_limits, atMs).flatMap(({ resetsAtMs, ...limit }) => {
    const text = JSON.stringify(limit);
    if (state.limits[limit.window] === text) return [];
    state.limits[limit.window] = text;
    return [
      toEvent(state, { kind: "limit", ...limit, resetsAtNs: toNs(Math.round(resetsAtMs)), atNs: toNs(atMs) }, line),
    ];
  });
}
