/**
 * Reads one Responses turn: an event stream however it is cut into chunks, events one by one, or the answer in one piece.
 * Invariant: a turn is its finished items and the event that completes it; without that event there is no turn.
 */
import { CentspanError, ERRORS, type ErrorCode } from "@centspan/base";
import { createParser } from "eventsource-parser";
import { z } from "zod";
import { codeOfStatus } from "./http-failure.ts";

export type FunctionCall = { callId: string; name: string; argumentsJson: string };

export type TurnResult = {
  responseId: string;
  /** Which model answered, where the server says so. */
  model: string | null;
  /** Output items in their order, as the server wrote them, to be appended to the context unchanged. */
  items: { type: string }[];
  calls: FunctionCall[];
  /** What the model said to the person. */
  text: string;
  /** Why the server stopped before the model had ended; null when it ended by itself. */
  incomplete: string | null;
  /** As the provider counted; null when it did not say. */
  usage: TurnUsage | null;
};

/** `inputTokens` includes those that came from a cache, `outputTokens` those of reasoning. */
export type TurnUsage = { inputTokens: number; cachedTokens: number; outputTokens: number };

export type TurnReader = {
  /** Takes the data of one event; true when it was the last of the turn. */
  take(data: string): boolean;
  finish(): TurnResult;
};

const eventSchema = z.looseObject({ type: z.string() });
const itemDoneSchema = z.looseObject({ item: z.looseObject({ type: z.string() }), output_index: z.int().optional() });
const usageSchema = z
  .looseObject({
    input_tokens: z.int().nonnegative(),
    input_tokens_details: z.looseObject({ cached_tokens: z.int().nonnegative().nullish() }).nullish(),
    output_tokens: z.int().nonnegative(),
  })
  .transform((usage) => ({
    inputTokens: usage.input_tokens,
    cachedTokens: usage.input_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage.output_tokens,
  }));
const responseSchema = z.looseObject({
  id: z.string(),
  model: z.string().nullish(),
  incomplete_details: z.looseObject({ reason: z.string().optional() }).nullish(),
  usage: usageSchema.nullish(),
});
const finishedSchema = z.looseObject({ response: responseSchema });
const errorSchema = z.looseObject({ code: z.string().nullish(), message: z.string().nullish() });
/** On event streams its members stand in the event itself, on WebSockets in a member `error`. */
const errorEventSchema = z.union([z.looseObject({ error: errorSchema, status: z.int().optional() }), errorSchema]);
const failedSchema = z.looseObject({ response: z.looseObject({ error: errorSchema.nullish() }) });
const callSchema = z.object({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const messageSchema = z.object({
  type: z.literal("message"),
  content: z.array(z.looseObject({ text: z.string().optional() })),
});

type Finished = Pick<TurnResult, "responseId" | "model" | "incomplete" | "usage">;

export function createTurnReader(): TurnReader {
  const items = new Map<number, { type: string }>();
  let finished: Finished | null = null;
  return {
    take(data) {
      if (data !== "[DONE]") finished = readEvent(parseJson(data), items) ?? finished;
      return finished !== null;
    },
    finish() {
      if (finished === null) throw broken("ended before response.completed");
      const ordered = [...items.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
      return describeTurn(finished, ordered);
    },
  };
}

/** The same from the bytes of an event stream. */
export function createStreamReader(): { push(chunk: Uint8Array): void; finish(): TurnResult } {
  const decoder = new TextDecoder();
  const reader = createTurnReader();
  const parser = createParser({ onEvent: ({ data }) => void reader.take(data) });
  return { push: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })), finish: reader.finish };
}

const wholeSchema = z.looseObject({ status: z.string().nullish(), output: z.array(z.custom<{ type: string }>()) });

/** A turn that came in one piece. */
export function readWholeTurn(text: string): TurnResult {
  const data = parseJson(text);
  const { status, output } = parse(wholeSchema, data);
  if (status === "failed") throw failure(parse(failedSchema, { response: data }).response.error);
  const items = output.map((item) => parse(eventSchema, item) && item);
  return describeTurn(readFinished({ response: data }, status === "incomplete"), items);
}

const describeTurn = (finished: Finished, items: { type: string }[]): TurnResult => ({
  ...finished,
  items,
  calls: items.flatMap(readCall),
  text: items.map(readText).join(""),
});

const broken = (why: string, cause?: unknown) =>
  new CentspanError("upstream_failed", `the model's stream ${why}`, { cause });

/** Takes note of a finished item, or returns how the whole response finished; other events are progress only. */
function readEvent(data: unknown, items: Map<number, { type: string }>): Finished | null {
  switch (parse(eventSchema, data).type) {
    case "response.output_item.done": {
      const index = parse(itemDoneSchema, data).output_index ?? items.size;
      items.set(index, untouchedItem(data));
      return null;
    }
    case "response.completed":
      return readFinished(data, false);
    case "response.incomplete":
      return readFinished(data, true);
    case "response.failed":
      throw failure(parse(failedSchema, data).response.error);
    case "error":
      throw failureOfEvent(parse(errorEventSchema, data));
    default:
      return null;
  }
}

function readFinished(data: unknown, isIncomplete: boolean): Finished {
  const { id, model, incomplete_details: details, usage } = parse(finishedSchema, data).response;
  const incomplete = isIncomplete ? (details?.reason ?? "unknown reason") : null;
  return { responseId: id, model: model ?? null, incomplete, usage: usage ?? null };
}

/** What providers call failures that may pass; our own codes mean what they mean. */
const PROVIDER_CODES = new Map<string, ErrorCode>([
  ["server_is_overloaded", "upstream_failed"],
  ["server_error", "upstream_failed"],
  ["rate_limit_exceeded", "rate_limited"],
]);
const isOurs = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

const failureOfEvent = (event: z.infer<typeof errorEventSchema>): CentspanError =>
  "error" in event ? failure(errorSchema.parse(event.error), Number(event.status)) : failure(errorSchema.parse(event));

function failure(error: z.infer<typeof errorSchema> | null | undefined, status = 0): CentspanError {
  const says = error?.code ?? "unknown";
  const code = PROVIDER_CODES.get(says) ?? (isOurs(says) ? says : codeOfStatus(status));
  return new CentspanError(code, `the model failed: ${error?.message ?? "no message"} (${says})`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw broken("holds an event that is not JSON", error);
  }
}

function parse<S extends z.ZodType>(schema: S, data: unknown): z.infer<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw broken(`holds an event of a wrong shape: ${z.prettifyError(parsed.error)}`);
}

/** The item as parsed from the wire: a schema's output may order its fields differently. */
const rawItemSchema = z.object({ item: z.custom<{ type: string }>() });
const untouchedItem = (data: unknown): { type: string } => parse(rawItemSchema, data).item;

function readCall(item: { type: string }): FunctionCall[] {
  if (item.type !== "function_call") return [];
  const call = parse(callSchema, item);
  return [{ callId: call.call_id, name: call.name, argumentsJson: call.arguments }];
}

function readText(item: { type: string }): string {
  if (item.type !== "message") return "";
  return parse(messageSchema, item)
    .content.map((part) => part.text ?? "")
    .join("");
}
