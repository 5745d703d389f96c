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
import { compactContext, countContextTokens, isFull } from "../context/compact-context.ts";
import type { ContextPiece, ContextSnapshot } from "../context/context-log.ts";
import { userMessage } from "../context/messages.ts";
import { describeChanges, type Surroundings } from "../context/surroundings.ts";
import type { Mechanisms } from "../mechanisms.ts";
import type { Toolbox } from "../tools/discovery/toolbox.ts";
import type { ModelConnection } from "../transport/connection.ts";
import type { TurnUsage } from "../transport/read-turn.ts";
import { describeTraffic, type TurnAnswer } from "../transport/turn.ts";
import type { Conversation, Ending } from "./conversation.ts";
import { type Execution, executeCalls } from "./execute-calls.ts";
import { identityHeaders, type RunIdentity, type RunSpans } from "./identity.ts";

export type LoopOptions = {
  identity: RunIdentity;
  model: string;
  conversation: Conversation;
  toolbox: Toolbox;
  execution: Execution;
  connection: ModelConnection;
  spans: RunSpans;
  budget: Budget;
  mechanisms: Mechanisms;
  /** Tokens that the model can take, prompt and answer together. */
  windowTokens: number;
  /** Settings as they are now. */
  surroundings(): Surroundings;
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
  usage: TurnUsage | null;
  /** Of the prompt's tokens, those that came from a cache; null where the provider doesn't say. */
  cachedShare: number | null;
  spentUsd: string;
  calls: readonly string[];
};

export type StopReason = Ending | "unpriced" | `max_${Exclude<Reached, "unpriced">}`;
export type LoopResult = { stop: StopReason; turns: number; finalText: string };

export async function runTurns(options: LoopOptions): Promise<LoopResult> {
  const { conversation, budget, spans } = options;
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
        const snapshot = await prepareContext(options, turn, sent);
        sent = snapshot.pieces;
        setAttributes(span, describeContext(snapshot));
        recordAnswer(options, turn, await ask(options, snapshot, turn, span));
      }
      await executeCalls(
        conversation.pending().map(options.toolbox.resolve),
        options.execution,
        conversation.wasInterrupted,
      );
    });
  }
}

/** The context of a turn, summed up before where it fills the window. */
async function prepareContext(
  options: LoopOptions,
  turn: number,
  before: readonly ContextPiece[],
): Promise<ContextSnapshot> {
  const { conversation, spans, toolbox, mechanisms, windowTokens } = options;
  const settings = options.surroundings();
  if (describeChanges(conversation.told(), settings) !== null) conversation.record({ type: "surroundings", settings });
  const note = mechanisms.stableInstructions ? "" : `\n\nIt is ${new Date().toISOString()}.`;
  const build = async (earlier: readonly ContextPiece[]): Promise<ContextSnapshot> =>
    buildContext(spans, { log: conversation.context(), tools: await toolbox.describe(), note }, earlier);
  const snapshot = await build(before);
  const measured = conversation.measured();
  const contextTokens = countContextTokens(snapshot, measured);
  if (
    !mechanisms.compactContext ||
    measured === null ||
    !isFull(contextTokens, windowTokens, measured.longestAnswerTokens)
  )
    return snapshot;
  const { connection, identity, signal } = options;
  const { sentItems } = measured;
  const headers = { ...identityHeaders(identity), "idempotency-key": `${identity.threadId}:${turn}:compaction` };
  const { items, answer } = await compactContext({
    ...{ spans, connection, snapshot, sentItems, contextTokens, headers, signal },
    keepsPlaces: mechanisms.stableHistory,
  });
  conversation.record({ type: "context_compacted", turn, items, ...priceAnswer(options, answer) });
  return build([]);
}

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

/** At list prices, where the model has one and its usage is known. */
function priceAnswer(options: LoopOptions, { usage, model }: TurnAnswer) {
  const cost = usage === null ? null : priceTurn(model ?? options.model, usage, BigInt(Date.now()) * 1_000_000n);
  return { usage, costUsd: cost === null ? null : formatDecimal(cost) };
}

function recordAnswer(options: LoopOptions, turn: number, answer: TurnAnswer): void {
  const { conversation, budget, identity } = options;
  const { usage, responseId, items, calls, text, incomplete } = answer;
  const model = answer.model ?? options.model;
  conversation.record({
    type: "turn_answered",
    turn,
    responseId,
    model,
    items,
    calls,
    text,
    incomplete,
    ...priceAnswer(options, answer),
  });
  options.report({
    threadId: identity.threadId,
    role: identity.role,
    turn,
    contextTokens: usage === null ? 0 : usage.inputTokens + usage.outputTokens,
    usage,
    cachedShare: usage === null || usage.inputTokens === 0 ? null : usage.cachedTokens / usage.inputTokens,
    spentUsd: formatDecimal(budget.spent().usd),
    calls: calls.map(({ name }) => name),
  });
}
