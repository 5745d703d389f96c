/**
 * The loop itself: build the context, ask the model, execute what it calls for, append, again.
 * Invariant: the context only grows. The loop ends when the model calls nothing more, when the provider cut its answer
 * short, when the same call failed too often or when a limit is reached; whether the work is any good is decided elsewhere.
 */
import { formatDecimal } from "@centspan/base";
import { setAttributes, writeTraceContext } from "@centspan/telemetry";
import type { Span } from "@opentelemetry/api";
import type { Budget, Reached } from "../budget/budget.ts";
import { priceTurn } from "../budget/price-turn.ts";
import { buildContext, describeContext } from "../context/build-context.ts";
import type { ContextPiece } from "../context/context-log.ts";
import { userMessage } from "../context/messages.ts";
import type { Tool } from "../tools/tool.ts";
import type { ModelConnection } from "../transport/connection.ts";
import { describeTraffic, type TurnAnswer } from "../transport/turn.ts";
import type { Conversation, Ending } from "./conversation.ts";
import { type Execution, executeCalls } from "./execute-calls.ts";
import { identityHeaders, type RunIdentity, type RunSpans } from "./identity.ts";

export type LoopOptions = {
  identity: RunIdentity;
  model: string;
  conversation: Conversation;
  tools: readonly Tool[];
  execution: Execution;
  connection: ModelConnection;
  spans: RunSpans;
  budget: Budget;
  /** What a person said since it was asked last. */
  takeSteering(): readonly string[];
  report(progress: TurnProgress): void;
  signal: AbortSignal;
};

/** After a turn was answered. */
export type TurnProgress = {
  threadId: string;
  role: string;
  turn: number;
  contextTokens: number;
  /** Of the prompt's tokens, those that came from a cache; null where the provider doesn't say. */
  cachedShare: number | null;
  spentUsd: string;
  calls: readonly string[];
};

export type StopReason = Ending | "unpriced" | `max_${Exclude<Reached, "unpriced">}`;
export type LoopResult = { stop: StopReason; turns: number; finalText: string };

export async function runTurns(options: LoopOptions): Promise<LoopResult> {
  const { conversation, budget, spans } = options;
  const tools = options.tools.map(describeTool);
  let sent: readonly ContextPiece[] = [];
  for (;;) {
    const isUnfinished = conversation.pending().length > 0;
    if (!isUnfinished) {
      for (const text of options.takeSteering()) {
        conversation.record({ type: "message", from: "person", item: userMessage(text) });
      }
      const stop = conversation.ending() ?? nameStop(budget.reached());
      if (stop !== null) return { stop, turns: conversation.turns(), finalText: conversation.finalText() };
    }
    const turn = conversation.turns() + (isUnfinished ? 0 : 1);
    const attributes = { "centspan.turn.number": turn, "gen_ai.request.model": options.model };
    await spans("loop.turn", { attributes }, async (span) => {
      if (!isUnfinished) {
        const snapshot = await buildContext(spans, conversation.context(), tools, sent);
        sent = snapshot.pieces;
        setAttributes(span, describeContext(snapshot));
        recordAnswer(options, turn, await ask(options, snapshot, turn, span));
      }
      await executeCalls(conversation.pending(), options.execution, conversation.wasInterrupted);
    });
  }
}

const describeTool = ({ name, description, parameters }: Tool): string =>
  JSON.stringify({ type: "function", name, description, strict: false, parameters });

const nameStop = (reached: Reached | null): StopReason | null =>
  reached === null || reached === "unpriced" ? reached : `max_${reached}`;

async function ask(
  { connection, identity, signal }: LoopOptions,
  prompt: Parameters<ModelConnection["send"]>[0]["prompt"],
  turn: number,
  span: Span,
): Promise<TurnAnswer> {
  const headers = {
    ...identityHeaders(identity),
    ...writeTraceContext(span),
    // A turn that was paid for and then lost by a kill is given again for it, unbilled.
    "idempotency-key": `${identity.threadId}:${turn}`,
  };
  const answer = await connection.send({ prompt, headers, signal });
  setAttributes(span, describeTraffic(answer));
  return answer;
}

function recordAnswer(options: LoopOptions, turn: number, answer: TurnAnswer): void {
  const { conversation, budget, identity } = options;
  const { usage, responseId, items, calls, text, incomplete } = answer;
  const model = answer.model ?? options.model;
  const costUsd = usage === null ? null : priceTurn(model, usage, BigInt(Date.now()) * 1_000_000n);
  conversation.record({
    type: "turn_answered",
    turn,
    responseId,
    model,
    items,
    calls,
    text,
    incomplete,
    usage,
    costUsd: costUsd === null ? null : formatDecimal(costUsd),
  });
  options.report({
    threadId: identity.threadId,
    role: identity.role,
    turn,
    contextTokens: usage === null ? 0 : usage.inputTokens + usage.outputTokens,
    cachedShare: usage === null || usage.inputTokens === 0 ? null : usage.cachedTokens / usage.inputTokens,
    spentUsd: formatDecimal(budget.spent().usd),
    calls: calls.map(({ name }) => name),
  });
}
