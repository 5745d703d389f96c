/**
 * Where a thread stands, as a function of its events: the same whether they happen now or are read from the log of an
 * earlier process.
 * Invariant: an event is durable before it has an effect; results enter the context in the order of their calls, all of a
 * turn's at once.
 */
import { assert } from "@centspan/base";
import type { Measured } from "../context/compact-context.ts";
import { type ContextLog, type ContextSettings, createContextLog } from "../context/context-log.ts";
import { describeChanges, type Surroundings } from "../context/surroundings.ts";
import type { Event, EventOf, Happening } from "../events/event.ts";
import type { EventLog } from "../events/event-log.ts";
import type { FunctionCall } from "../transport/read-turn.ts";

/** Why there is nothing more to do. */
export type Ending = "answered" | "incomplete" | "repeated_failure";

export type Conversation = {
  context(): ContextLog;
  /** Turns that were answered. */
  turns(): number;
  finalText(): string;
  /** Calls of the latest answer that have no result yet. */
  pending(): readonly FunctionCall[];
  /** Whether a process ended while it made this call. */
  wasInterrupted(callId: string): boolean;
  ending(): Ending | null;
  /** What the latest answer says of the context, and how many items it was asked with. */
  measured(): (Measured & { sentItems: number }) | null;
  /** What the model was told of its surroundings. */
  told(): Surroundings;
  record(happening: Happening): void;
};

/** The same failing call as often in a row ends the loop: the model has stopped to look at what it is told. */
const MOST_FAILURES = 3;

type State = {
  context: ContextLog;
  items: number;
  turns: number;
  finalText: string;
  latest: EventOf<"turn_answered"> | null;
  outputs: Map<string, string>;
  started: Set<string>;
  measured: (Measured & { sentItems: number }) | null;
  longestAnswerTokens: number;
  told: Surroundings;
  failing: { call: string; times: number };
  ended: Ending | null;
};

export function openConversation(
  settings: ContextSettings,
  log: EventLog,
  onEvent: (event: Event) => void,
): Conversation {
  const state: State = {
    context: createContextLog(settings),
    items: 0,
    turns: 0,
    finalText: "",
    latest: null,
    outputs: new Map(),
    started: new Set(),
    measured: null,
    longestAnswerTokens: 0,
    told: {},
    failing: { call: "", times: 0 },
    ended: null,
  };
  const take = (event: Event): void => {
    apply(state, event, settings);
    onEvent(event);
  };
  for (const event of log.events) take(event);
  const { outputs, started } = state;
  return {
    context: () => state.context,
    turns: () => state.turns,
    finalText: () => state.finalText,
    pending: () => (state.latest?.calls ?? []).filter(({ callId }) => !outputs.has(callId)),
    wasInterrupted: (callId) => started.has(callId),
    ending: () => state.ended,
    measured: () => state.measured,
    told: () => state.told,
    record: (happening) => take(log.append(happening)),
  };
}

function apply(state: State, event: Event, settings: ContextSettings): void {
  switch (event.type) {
    case "message":
      append(state, event.item);
      if (event.from === "person") goOn(state);
      return;
    case "resumed":
      if (state.ended !== "answered") goOn(state);
      return;
    case "turn_answered":
      applyAnswer(state, event);
      return;
    case "tool_started":
      if (event.within === undefined) state.started.add(event.call.callId);
      return;
    case "tool_done":
      if (event.within === undefined) applyResult(state, event);
      return;
    case "surroundings": {
      const change = describeChanges(state.told, event.settings);
      if (change !== null) append(state, change);
      state.told = event.settings;
      return;
    }
    case "context_compacted":
      state.context = createContextLog(settings);
      state.items = 0;
      for (const item of event.items) append(state, item);
      state.measured = null;
  }
}

function append(state: State, item: { type: string }): void {
  state.context.append(item);
  state.items += 1;
}

function goOn(state: State): void {
  state.ended = null;
  state.failing = { call: "", times: 0 };
}

function applyAnswer(state: State, event: EventOf<"turn_answered">): void {
  const sentItems = state.items;
  for (const item of event.items) append(state, item);
  state.turns = event.turn;
  state.finalText = event.text;
  state.latest = event;
  state.outputs.clear();
  state.started.clear();
  state.longestAnswerTokens = Math.max(state.longestAnswerTokens, event.usage?.outputTokens ?? 0);
  const { items, longestAnswerTokens } = state;
  state.measured = { usage: event.usage, items, longestAnswerTokens, sentItems };
  if (event.incomplete !== null) state.ended = "incomplete";
  else if (event.calls.length === 0) state.ended = "answered";
}

function applyResult(state: State, { call, output, exitCode, error }: EventOf<"tool_done">): void {
  const { latest, outputs, failing } = state;
  assert(latest !== null, "a call has an answer that made it");
  outputs.set(call.callId, output);
  state.started.delete(call.callId);
  const said = JSON.stringify([call.name, call.argumentsJson]);
  const failed = error !== undefined || (exitCode ?? 0) !== 0;
  state.failing = failed
    ? { call: said, times: failing.call === said ? failing.times + 1 : 1 }
    : { call: "", times: 0 };
  if (state.failing.times >= MOST_FAILURES) state.ended = "repeated_failure";
  if (!latest.calls.every(({ callId }) => outputs.has(callId))) return;
  for (const { callId } of latest.calls) {
    const result = { type: "function_call_output", call_id: callId, output: outputs.get(callId) };
    append(state, result);
  }
}
