/**
 * The engine's HTTP face: OpenAI's Responses and Chat Completions, Anthropic's Messages, the list of models, health; hints
 * of agents, and settings that can be changed while it runs.
 */
import { CentspanError } from "@centspan/base";
import { toErrorAt } from "@centspan/model";
import { createServer } from "@centspan/service";
import type { FastifyInstance } from "fastify";
import { type Ask, answer } from "./answer.ts";
import type { Engine } from "./engine.ts";
import { readChatAsk, readMessagesAsk, readResponsesAsk } from "./read-ask.ts";
import { readHint } from "./read-hint.ts";

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

export function createEngineServer(engine: Engine): FastifyInstance {
  const app = createServer({
    bodyLimitBytes: BODY_LIMIT_BYTES,
    sendError: (reply, error) => reply.code(error.status).send(toErrorAt(reply.request.url, error)),
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

  app.get("/v1/settings", () => ({ ...engine.settings.read(), replicas: engine.states() }));
  app.patch("/v1/settings", (request) => engine.settings.change(request.body));
  app.post("/v1/hints", async (request, reply) => {
    engine.hint(readHint(request.body));
    return reply.code(204).send();
  });

  const serve = (path: string, readAsk: (body: unknown) => Ask): void => {
    app.post(path, async (request, reply) => {
      await answer(engine, readAsk(request.body), request, reply);
      return reply;
    });
  };
  serve("/v1/responses", readResponsesAsk);
  serve("/v1/chat/completions", readChatAsk);
  serve("/v1/messages", readMessagesAsk);

  return app;
}
