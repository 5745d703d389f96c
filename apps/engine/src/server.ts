/** The engine's HTTP face: OpenAI's Responses and Chat Completions, the list of models, health. */
import { CentspanError } from "@centspan/base";
import {
  chatRequestSchema,
  readChatConversation,
  readResponsesConversation,
  responsesRequestSchema,
  toOpenAiError,
} from "@centspan/model";
import { createServer } from "@centspan/service";
import type { FastifyInstance } from "fastify";
import { answer } from "./answer.ts";
import type { Engine } from "./engine.ts";
import { parseBody } from "./parse-body.ts";
import { createChatWriter } from "./wire/chat-writer.ts";
import { createResponsesWriter } from "./wire/responses-writer.ts";
import type { WriterOptions } from "./wire/writer.ts";

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

export function createEngineServer(engine: Engine): FastifyInstance {
  const app = createServer({
    bodyLimitBytes: BODY_LIMIT_BYTES,
    sendError: (reply, error) => reply.code(error.status).send(toOpenAiError(error)),
  });
  const startedAtS = Math.floor(Date.now() / 1000);

  app.get("/health", () => {
    if (!engine.isRunning())
      throw new CentspanError("not_ready", "the engine's loop has stopped; its log has the cause");
    return { status: "ok" };
  });

  app.get("/v1/models", () => ({
    object: "list",
    data: engine.players.models.map((id) => ({ id, object: "model", created: startedAtS, owned_by: "centspan" })),
  }));

  app.post("/v1/responses", async (request, reply) => {
    const body = parseBody(responsesRequestSchema, request.body);
    if (typeof body.previous_response_id === "string") {
      const field = "previous_response_id";
      throw new CentspanError("invalid_request", `${field}: this engine keeps no responses; send the full input`, {
        field,
      });
    }
    const ask = {
      model: body.model,
      conversation: readResponsesConversation(body),
      promptField: "input",
      promptTokenIds: body.prompt_token_ids,
      maxOutputTokens: body.max_output_tokens ?? undefined,
      stream: body.stream === true,
      idPrefix: "resp_",
      createWriter: (options: WriterOptions) => createResponsesWriter({ ...options, request: body }),
    };
    await answer(engine, ask, request, reply);
    return reply;
  });

  app.post("/v1/chat/completions", async (request, reply) => {
    const body = parseBody(chatRequestSchema, request.body);
    const ask = {
      model: body.model,
      conversation: readChatConversation(body),
      promptField: "messages",
      promptTokenIds: body.prompt_token_ids,
      maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
      stream: body.stream === true,
      idPrefix: "chatcmpl-",
      createWriter: (options: WriterOptions) => createChatWriter({ ...options, request: body }),
    };
    await answer(engine, ask, request, reply);
    return reply;
  });

  return app;
}
