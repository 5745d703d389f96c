/** Anthropic's Messages: POST /v1/messages, plain or as server-sent events. */
import { apiShapes } from "@centspan/dialects";
import { messagesRequestSchema, readMessagesConversation, toAnthropicError } from "@centspan/model";
import { z } from "zod";
import { placeBreakpoints } from "../cache-help/place-breakpoints.ts";
import messagesOutput from "../content/read-messages-output.ts";
import { type CallFacts, defineProtocol, noteSaid, noteUsage, parseJson, saidName } from "./protocol.ts";

const messageSchema = z.looseObject({
  id: saidName,
  model: saidName,
  stop_reason: saidName,
});

const eventSchema = z.looseObject({
  type: z.string(),
  message: messageSchema.optional().catch(undefined),
  content_block: z.looseObject({ type: z.string() }).optional().catch(undefined),
  delta: z.looseObject({ stop_reason: saidName }).optional().catch(undefined),
  usage: z.unknown().optional(),
});

function readMessage(message: z.infer<typeof messageSchema>, facts: CallFacts): void {
  facts.responseId = message.id ?? facts.responseId;
  facts.model = message.model ?? facts.model;
  noteUsage(facts, apiShapes.messages, message);
  readStop(message.stop_reason, facts);
}

function readStop(reason: string | null | undefined, facts: CallFacts): void {
  if (typeof reason !== "string") return;
  facts.finishReasons = [reason];
  facts.generated = true;
}

const requestSchema = messagesRequestSchema.transform((request) => ({
  model: request.model,
  stream: request.stream === true,
  effort: request.output_config?.effort ?? "",
  cacheKey: "",
  conversation: readMessagesConversation(request),
  maxOutputTokens: request.max_tokens,
  answers: 1,
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
  members: new Set(Object.keys(messagesRequestSchema.shape)),
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
          noteUsage(facts, apiShapes.messages, event);
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
    const continues = event.type === "content_block_delta";
    if (continues) noteSaid(facts, event.delta);
    return { output: begins || continues, usageOnly: false };
  },
  readAnswer(body, facts) {
    const message = messageSchema.safeParse(body).data;
    if (!message) return;
    readMessage(message, facts);
    noteSaid(facts, message.content);
  },
  placeBreakpoints,
  output: messagesOutput,
  effortField: "output_config.effort",
  writeEffort: (body, effort) => ({ output_config: { ...Object(Object(body).output_config), effort } }),
  writeError: toAnthropicError,
  writeStreamError: (error) => `event: error\ndata: ${JSON.stringify(toAnthropicError(error))}\n\n`,
});
