/** What each protocol's body asks of the engine. */
import { CentspanError } from "@centspan/base";
import {
  chatRequestSchema,
  messagesRequestSchema,
  readChatConversation,
  readMessagesConversation,
  readResponsesConversation,
  responsesRequestSchema,
} from "@centspan/model";
import { z } from "zod";
import type { Ask } from "./answer.ts";
import { parseBody } from "./parse-body.ts";
import { createChatWriter } from "./wire/chat-writer.ts";
import { createMessagesWriter } from "./wire/messages-writer.ts";
import { createResponsesWriter } from "./wire/responses-writer.ts";

export function readResponsesAsk(json: unknown): Ask {
  const body = parseBody(responsesRequestSchema, json);
  if (typeof body.previous_response_id === "string") {
    const field = "previous_response_id";
    throw new CentspanError("invalid_request", `${field}: this engine keeps no responses; send the full input`, {
      field,
    });
  }
  return {
    model: body.model,
    conversation: readResponsesConversation(body),
    promptField: "input",
    promptTokenIds: body.prompt_token_ids,
    maxOutputTokens: body.max_output_tokens ?? undefined,
    stream: body.stream === true,
    idPrefix: "resp_",
    createWriter: (options) => createResponsesWriter({ ...options, request: body }),
  };
}

export function readChatAsk(json: unknown): Ask {
  const body = parseBody(chatRequestSchema, json);
  return {
    model: body.model,
    conversation: readChatConversation(body),
    promptField: "messages",
    promptTokenIds: body.prompt_token_ids,
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stream: body.stream === true,
    idPrefix: "chatcmpl-",
    createWriter: (options) => createChatWriter({ ...options, request: body }),
  };
}

/** Here is no cache to be filled without an answer. */
const messagesSchema = messagesRequestSchema.extend({ max_tokens: z.int().positive() });

export function readMessagesAsk(json: unknown): Ask {
  const body = parseBody(messagesSchema, json);
  return {
    model: body.model,
    conversation: readMessagesConversation(body),
    promptField: "messages",
    promptTokenIds: body.prompt_token_ids,
    maxOutputTokens: body.max_tokens,
    stream: body.stream === true,
    idPrefix: "msg_",
    createWriter: createMessagesWriter,
  };
}
