/**
 * The one way by which a context gets shorter: the model hands the work over to itself. What people and the harness said
 * stays word for word, so do the latest answer and its results; what lies between becomes the model's own summary.
 * Invariant: the request for it goes on from what was sent last, so it is served from the same cache; afterwards the
 * context only grows again.
 */
import { CentspanError } from "@centspan/base";
import { setAttributes, writeTraceContext } from "@centspan/telemetry";
import { z } from "zod";
import type { RunSpans } from "../loop/identity.ts";
import { estimateTokens } from "../sandbox/cut-output.ts";
import type { ModelConnection } from "../transport/connection.ts";
import type { TurnUsage } from "../transport/read-turn.ts";
import { describeTraffic, type TurnAnswer } from "../transport/turn.ts";
import type { ContextItem, ContextSnapshot } from "./context-log.ts";
import { userMessage } from "./messages.ts";

/** Of the window, for the next answer; more where answers were longer, since the next may be longer still. */
const ANSWER_SHARE = 0.1;
const ANSWER_GROWTH = 2;

const REQUEST = `Handover request: the conversation is about to be cut, and you will go on from what you write now.

Write down, without calling tools:
- what is asked for, with every constraint that was named;
- what you found out, with paths, names and exact messages that you will need again;
- what is done, and how you know that it works;
- what is open, in the order in which you would do it.`;

const HANDOVER_HEAD = "Handover: the conversation before this was cut. You wrote of it:\n\n";

/** What answers say of the context: `items` were in it with the latest, its own included. */
export type Measured = { usage: TurnUsage | null; items: number; longestAnswerTokens: number };

/** Tokens of the context: as the provider counted them, and what came since by its size. */
export function countContextTokens(snapshot: ContextSnapshot, measured: Measured | null): number {
  if (!measured?.usage) return Object.values(snapshot.tokens).reduce((sum, tokens) => sum + tokens, 0);
  const added = snapshot.items.slice(measured.items).reduce((sum, json) => sum + Buffer.byteLength(json), 0);
  return measured.usage.inputTokens + measured.usage.outputTokens + estimateTokens(added);
}

export const isFull = (tokens: number, windowTokens: number, longestAnswerTokens: number): boolean =>
  tokens + Math.max(windowTokens * ANSWER_SHARE, longestAnswerTokens * ANSWER_GROWTH) > windowTokens;

export type CompactionRequest = {
  spans: RunSpans;
  connection: ModelConnection;
  snapshot: ContextSnapshot;
  /** How many items were in the latest request; the answer to it and its results come after them. */
  sentItems: number;
  contextTokens: number;
  /** The summary comes after what stays word for word, which is then served from the cache. */
  keepsPlaces: boolean;
  headers: Record<string, string>;
  signal: AbortSignal;
};

/** The items that the context goes on with, and the answer that had to be paid for them. */
export function compactContext(request: CompactionRequest): Promise<{ items: ContextItem[]; answer: TurnAnswer }> {
  const { snapshot, sentItems, headers, signal } = request;
  return request.spans("compaction", {}, async (span) => {
    const latest = snapshot.items.slice(sentItems);
    const asked = [
      ...snapshot.items.slice(0, sentItems),
      ...latest.map(hideOutput),
      JSON.stringify(userMessage(REQUEST)),
    ];
    const answer = await request.connection.send({
      prompt: { head: snapshot.head, items: asked },
      headers: { ...headers, ...writeTraceContext(span) },
      signal,
    });
    if (answer.text.trim() === "") throw new CentspanError("upstream_failed", "the model handed nothing over");
    const words = snapshot.items.slice(0, sentItems).flatMap(keepWords);
    const handover = userMessage(HANDOVER_HEAD + answer.text);
    const items = [
      ...(request.keepsPlaces ? [...words, handover] : [handover, ...words]),
      ...latest.map((json) => readItem(json)),
    ];
    setAttributes(span, {
      ...describeTraffic(answer),
      "centspan.compaction.before_tokens": request.contextTokens,
      "centspan.compaction.after_tokens": estimateTokens(Buffer.byteLength(JSON.stringify(items) + snapshot.head)),
      "centspan.compaction.kept_items": items.length,
    });
    return { items, answer };
  });
}

const itemSchema = z.custom<ContextItem>((item) => typeof Object(item).type === "string");
const readItem = (json: string): ContextItem => itemSchema.parse(JSON.parse(json));

/** A call has to have its result, but what it says is not summed up: it stays. */
function hideOutput(json: string): string {
  const item = readItem(json);
  return item.type === "function_call_output" ? JSON.stringify({ ...item, output: "(kept)" }) : json;
}

const wordsSchema = z.looseObject({
  type: z.literal("message"),
  role: z.enum(["user", "developer"]),
  content: z.array(z.looseObject({ text: z.string() })),
});

/** What was said to the model, but for an older handover, which is part of the new one. */
function keepWords(json: string): ContextItem[] {
  const item = readItem(json);
  const words = wordsSchema.safeParse(item).data;
  return words === undefined || words.content[0]?.text.startsWith(HANDOVER_HEAD) ? [] : [item];
}
