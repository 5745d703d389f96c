/**
 * The loop itself: build the context, ask the model, execute what it calls for, append, again.
 * Invariant: the context only grows. The loop ends when the model calls nothing more, when the provider cut its answer
 * short, or after the last turn; whether the work is any good is decided elsewhere.
 */
import { setAttributes, writeTraceContext } from "@centspan/telemetry";
import type { Span } from "@opentelemetry/api";
import { buildContext, describeContext } from "../context/build-context.ts";
import { type ContextLog, type ContextPiece, type ContextSnapshot, createContextLog } from "../context/context-log.ts";
import { INSTRUCTIONS } from "../context/instructions.ts";
import type { RunContext, Tool } from "../tools/tool.ts";
import type { ModelConnection } from "../transport/connection.ts";
import type { ResponsesClient } from "../transport/responses-client.ts";
import { describeTraffic } from "../transport/turn.ts";
import { executeCalls } from "./execute-calls.ts";
import { identityHeaders, type RunIdentity, type RunSpans } from "./identity.ts";

export type LoopOptions = {
  identity: RunIdentity;
  model: string;
  firstMessage: string;
  tools: readonly Tool[];
  toolContext: RunContext;
  client: ResponsesClient;
  gatewayKey: string;
  spans: RunSpans;
  maxTurns: number;
};

export type StopReason = "answered" | "max_turns" | "incomplete";
export type LoopResult = { stop: StopReason; turns: number; finalText: string };

export async function runTurns(options: LoopOptions, onTurn: (turn: number) => void): Promise<LoopResult> {
  const connection = options.client.open(options.gatewayKey);
  try {
    return await takeTurns(options, connection, onTurn);
  } finally {
    connection.close();
  }
}

async function takeTurns(
  options: LoopOptions,
  connection: ModelConnection,
  onTurn: (turn: number) => void,
): Promise<LoopResult> {
  const log = createContextLog({
    model: options.model,
    instructions: INSTRUCTIONS,
    promptCacheKey: options.identity.runId,
  });
  log.append(userMessage(options.firstMessage));
  const tools = options.tools.map(describeTool);
  let sent: readonly ContextPiece[] = [];
  let finalText = "";
  for (let turn = 1; turn <= options.maxTurns; turn++) {
    onTurn(turn);
    const attributes = { "centspan.turn.number": turn, "gen_ai.request.model": options.model };
    const done = await options.spans("loop.turn", { attributes }, async (span) => {
      const snapshot = await buildContext(options.spans, log, tools, sent);
      sent = snapshot.pieces;
      return runTurn(options, connection, log, snapshot, turn, span);
    });
    finalText = done.text;
    if (done.stop) return { stop: done.stop, turns: turn, finalText };
  }
  return { stop: "max_turns", turns: options.maxTurns, finalText };
}

const describeTool = ({ name, description, parameters }: Tool): string =>
  JSON.stringify({ type: "function", name, description, strict: false, parameters });

const userMessage = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

async function runTurn(
  options: LoopOptions,
  connection: ModelConnection,
  log: ContextLog,
  snapshot: ContextSnapshot,
  turn: number,
  span: Span,
): Promise<{ stop: StopReason | null; text: string }> {
  setAttributes(span, describeContext(snapshot));
  const answer = await connection.send({
    prompt: snapshot,
    headers: {
      ...identityHeaders(options.identity),
      ...writeTraceContext(span),
      "idempotency-key": `${options.identity.runId}:${turn}`,
    },
    signal: options.toolContext.signal,
  });
  setAttributes(span, describeTraffic(answer));
  for (const item of answer.items) log.append(item);
  if (answer.incomplete !== null) return { stop: "incomplete", text: answer.text };
  if (answer.calls.length === 0) return { stop: "answered", text: answer.text };
  const outputs = await executeCalls(answer.calls, options.tools, options.toolContext, options.spans);
  for (const output of outputs) log.append(output);
  return { stop: null, text: answer.text };
}
