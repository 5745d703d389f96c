/** Anthropic's Messages: POST /v1/messages, plain or as server-sent events. */
import { messagesRequestSchema, readMessagesConversation, toAnthropicError } from "@centspan/model";
import { z } from "zod";
import { placeBreakpoints } from "../cache-help/place-breakpoints.ts";
import messagesOutput from "../content/read-messages-output.ts";
import { type CallFacts, defineProtocol, parseJson } from "./protocol.ts";

const count = z.int().nonnegative().nullish();

const usageSchema = z.looseObject({
  input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: count }).nullish(),
  output_tokens: count,
  output_tokens_details: z.looseObject({ thinking_tokens: count }).nullish(),
  service_tier: z.string().nullish(),
});

const messageSchema = z.looseObject({
  id: z.string().optional().catch(undefined),
  model: z.string().optional().catch(undefined),
  stop_reason: z.string().nullish().catch(undefined),
  // Usage that is not what the protocol says counts as not reported; it is never guessed.
  usage: usageSchema.optional().catch(undefined),
});

const eventSchema = z.looseObject({
  type: z.string(),
  message: messageSchema.optional().catch(undefined),
  content_block: z.looseObject({ type: z.string() }).optional().catch(undefined),
  delta: z
    .looseObject({ stop_reason: z.string().nullish().catch(undefined) })
    .optional()
    .catch(undefined),
  usage: usageSchema.optional().catch(undefined),
});

function readMessage(message: z.infer<typeof messageSchema>, facts: CallFacts): void {
  facts.responseId = message.id ?? facts.responseId;
  facts.model = message.model ?? facts.model;
  if (message.usage) readUsage(message.usage, facts);
  readStop(message.stop_reason, facts);
}

function readStop(reason: string | null | undefined, facts: CallFacts): void {
  if (typeof reason !== "string") return;
  facts.finishReasons = [reason];
  facts.generated = true;
}

/** Reports are cumulative: what a later one names replaces what was said. Here cached tokens stand beside the input. */
function readUsage(said: z.infer<typeof usageSchema>, facts: CallFacts): void {
  const before = facts.usage;
  const cacheRead = said.cache_read_input_tokens ?? before?.cacheRead;
  const cacheWrite = said.cache_creation_input_tokens ?? before?.cacheWrite;
  const uncached = said.input_tokens ?? (before && before.input - (before.cacheRead ?? 0) - (before.cacheWrite ?? 0));
  facts.serviceTier = said.service_tier ?? facts.serviceTier;
  if (uncached === undefined) return;
  facts.usage = {
    input: uncached + (cacheRead ?? 0) + (cacheWrite ?? 0),
    output: said.output_tokens ?? before?.output,
    cacheRead,
    cacheWrite,
    cacheWrite1h: said.cache_creation?.ephemeral_1h_input_tokens ?? before?.cacheWrite1h,
    reasoning: said.output_tokens_details?.thinking_tokens ?? before?.reasoning,
  };
}

const requestSchema = messagesRequestSchema.transform((request) => ({
  model: request.model,
  stream: request.stream === true,
  effort: request.output_config?.effort ?? "",
  cacheKey: "",
  conversation: readMessagesConversation(request),
  additions: {},
  hidesUsageChunk: false,
}));

/** A block that begins with more than a place for text: a call has its name. */
const SILENT_BLOCKS = new Set(["text", "thinking"]);

export default defineProtocol({
  id: "anthropic-messages",
  describe: "Anthropic Messages over HTTP",
  operation: "chat",
  route: "/v1/messages",
  layout: { system: "system", tools: "tools", items: "messages", cacheMs: () => 300_000 },
  // Claude Code.
  callIdHeader: (headers) => (headers["x-claude-code-session-id"] === undefined ? null : "request-id"),
  readRequest: (body) => requestSchema.safeParse(body),
  readEvent(data, facts) {
    const event = eventSchema.safeParse(parseJson(data)).data;
    if (!event) return { output: false, usageOnly: false };
    switch (event.type) {
      case "message_start":
        if (event.message) readMessage(event.message, facts);
        // What was generated is not known yet, whatever a first report says of it.
        facts.usagePartial = true;
        break;
      case "message_delta":
        if (event.usage) {
          readUsage(event.usage, facts);
          facts.usagePartial = false;
        }
        readStop(event.delta?.stop_reason, facts);
        break;
      case "message_stop":
        facts.generated = true;
        break;
      case "error":
        facts.failed = true;
        break;
    }
    const begins = event.type === "content_block_start" && !SILENT_BLOCKS.has(event.content_block?.type ?? "text");
    return { output: begins || event.type === "content_block_delta", usageOnly: false };
  },
  readAnswer(body, facts) {
    const message = messageSchema.safeParse(body).data;
    if (message) readMessage(message, facts);
  },
  placeBreakpoints,
  output: messagesOutput,
  effortField: "output_config.effort",
  writeEffort: (body, effort) => ({ output_config: { ...Object(Object(body).output_config), effort } }),
  writeError: toAnthropicError,
  writeStreamError: (error) => `event: error\ndata: ${JSON.stringify(toAnthropicError(error))}\n\n`,
});
