/**
 * Reads the event stream of one Responses turn, however it is cut into chunks.
 * Invariant: a turn is its finished items and the event that completes it; without that event there is no turn.
 */
import { CentspanError } from "@centspan/base";
import { createParser } from "eventsource-parser";
import { z } from "zod";

export type FunctionCall = { callId: string; name: string; argumentsJson: string };

export type TurnResult = {
  responseId: string;
  /** Output items in their order, as the server wrote them, to be appended to the context unchanged. */
  items: { type: string }[];
  calls: FunctionCall[];
  /** What the model said to the person. */
  text: string;
  /** Why the server stopped before the model had ended; null when it ended by itself. */
  incomplete: string | null;
};

export type TurnReader = { push(chunk: Uint8Array): void; finish(): TurnResult };

const eventSchema = z.looseObject({ type: z.string() });
const itemDoneSchema = z.looseObject({ item: z.looseObject({ type: z.string() }), output_index: z.int().optional() });
const finishedSchema = z.looseObject({
  response: z.looseObject({
    id: z.string(),
    incomplete_details: z.looseObject({ reason: z.string().optional() }).nullish(),
  }),
});
const errorSchema = z.looseObject({ code: z.string().nullish(), message: z.string().nullish() });
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

type Finished = { responseId: string; incomplete: string | null };

export function createTurnReader(): TurnReader {
  const decoder = new TextDecoder();
  const items = new Map<number, { type: string }>();
  let finished: Finished | null = null;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== "[DONE]") finished = readEvent(parseJson(data), items) ?? finished;
    },
  });
  return {
    push: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })),
    finish() {
      if (finished === null) throw broken("ended before response.completed");
      const ordered = [...items.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
      return { ...finished, items: ordered, calls: ordered.flatMap(readCall), text: ordered.map(readText).join("") };
    },
  };
}

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
      return { responseId: parse(finishedSchema, data).response.id, incomplete: null };
    case "response.incomplete": {
      const { response } = parse(finishedSchema, data);
      return { responseId: response.id, incomplete: response.incomplete_details?.reason ?? "unknown reason" };
    }
    case "response.failed":
      throw failure(parse(failedSchema, data).response.error);
    case "error":
      throw failure(parse(errorSchema, data));
    default:
      return null;
  }
}

const MAY_PASS = new Set(["server_is_overloaded", "server_error", "rate_limit_exceeded"]);

function failure(error: z.infer<typeof errorSchema> | null | undefined): CentspanError {
  const code = error?.code ?? "unknown";
  const message = `the model failed: ${error?.message ?? "no message"} (${code})`;
  return new CentspanError(MAY_PASS.has(code) ? "upstream_failed" : "internal", message);
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
