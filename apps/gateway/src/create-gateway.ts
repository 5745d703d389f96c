/**
 * The gateway's routes. Inference requests leave fastify at once: their answers are written as bytes arrive.
 * Must not: hold state that a restart would lose, other than caches.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { CentspanError } from "@centspan/base";
import { toErrorAt, toOpenAiError } from "@centspan/model";
import { answerHealth, createByteBudget, createServer, reportFault } from "@centspan/service";
import type { Tracer } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply } from "fastify";
import { countTokens, countTokensProtocol } from "./count-tokens.ts";
import { isAbsolute } from "./egress/forward-request.ts";
import { type EgressSettings, serveEgress } from "./egress/serve-egress.ts";
import { createExchanges } from "./exchanges.ts";
import { findModel, listModels } from "./list-models.ts";
import { passHint } from "./pass-on.ts";
import { type PipelineOptions, runPipeline } from "./pipeline.ts";
import type { InferenceProtocol } from "./protocols/protocol.ts";
import { PROTOCOLS } from "./protocols/registry.ts";
import { runExchange } from "./run-exchange.ts";
import { answerClientError } from "./transports/answer-client-error.ts";
import { answerError, createHttpSink } from "./transports/http-sink.ts";
import { MAX_BODY_BYTES, MAX_BODY_MS, readHttpBody } from "./transports/read-http-body.ts";
import { serveWebSockets, type WebSocketLimits } from "./transports/serve-web-sockets.ts";

export type GatewayOptions = PipelineOptions & {
  tracer: Tracer;
  /** Rejects when a store is away; the name is what the health answer says. */
  stores?: Record<string, () => Promise<unknown>>;
  webSockets?: Partial<WebSocketLimits>;
  egress?: EgressSettings;
  /** The share of the traffic that it should get, in percent, and who counts its calls for that. */
  fleet?: { weight(): number; called(): void };
  /** How long a body may take to come whole. */
  maxBodyMs?: number;
  /** How long a client may take nothing of its answer. */
  maxStallMs?: number;
  /** Of the bodies of all requests that are under way. */
  maxHeldBytes?: number;
};

/** Read as JSON they take several times as much. */
const MAX_HELD_BYTES = 512 * 1024 * 1024;

const refuseToHold = (heldBytes: number): CentspanError =>
  new CentspanError("overloaded", `the gateway holds ${heldBytes} bytes of requests, which is the most`, {
    retryAfterS: 1,
  });

export function createGateway(options: GatewayOptions): FastifyInstance {
  const maxBodyMs = options.maxBodyMs ?? MAX_BODY_MS;
  const exchanges = createExchanges(() => options.fleet?.called());
  const bodies = createByteBudget(options.maxHeldBytes ?? MAX_HELD_BYTES, refuseToHold);
  /** The latest answer on each connection. */
  const answers = new WeakMap<Socket, ServerResponse>();
  const app = createServer({
    bodyLimitBytes: MAX_BODY_BYTES,
    // What was refused and goes on coming is read for so long.
    requestTimeoutMs: 2 * maxBodyMs,
    sendError: (reply, error) => (isForHost(reply.request.raw) ? passOn(reply) : sendError(reply, error)),
    answerClientError: (thrown, socket) => answerClientError(thrown, socket, answers.get(socket)),
  });
  const egress = serveEgress(app.server, { ...options, credentials: options.admit.credentials });
  /** Also what the router can't read is the host's to judge. */
  const passOn = (reply: FastifyReply): FastifyReply => {
    reply.hijack();
    void egress.forward(reply.request.raw, reply.raw);
    return reply;
  };
  app.addHook("preClose", () => egress.close());
  // Before a route is served: what names a whole address is for that host, whatever its path.
  app.addHook("onRequest", ({ raw }, reply, goOn) => {
    if (isForHost(raw)) passOn(reply);
    else goOn();
  });
  app.removeAllContentTypeParsers();
  // Bodies are read by the pipeline, after the key was checked.
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  app.get("/health", (_request, reply) =>
    answerHealth(reply, options.stores ?? {}, options.fleet && { weight: options.fleet.weight() }),
  );
  app.get("/v1/models", ({ raw }) => listModels(raw, options));
  app.get<{ Params: { "*": string } }>("/v1/models/*", ({ raw, params }) => findModel(raw, params["*"], options));
  app.post("/v1/hints", (request, reply) => passHint(request.raw, reply, options));
  // Agents that try a WebSocket first fall back to HTTP at once on this status, and only after retries on others.
  app.get("/v1/responses", (_request, reply) =>
    reply
      .code(426)
      .send(toOpenAiError(new CentspanError("method_not_allowed", "Upgrade to a WebSocket, or use POST."))),
  );
  const serve = (protocol: InferenceProtocol, work: typeof runPipeline): void => {
    app.post(protocol.route, async ({ raw: request }, reply) => {
      reply.hijack();
      const isConnectionReused = answers.has(request.socket);
      answers.set(request.socket, reply.raw);
      const share = bodies.open();
      const arrival = {
        template: "POST {route}" as const,
        protocol,
        query: readQuery(request.url ?? ""),
        headers: request.headers,
        readBody: () => readHttpBody(request, { maxMs: maxBodyMs, share }),
        bodyIsSent: share.close,
        sink: createHttpSink(reply.raw, protocol, options.maxStallMs),
        isConnectionReused,
      };
      await exchanges.hold(
        runExchange(arrival, options.tracer, (exchange) => work(exchange, options)).finally(arrival.bodyIsSent),
      );
    });
    refuseOtherMethods(app, protocol.route);
  };
  for (const protocol of PROTOCOLS) serve(protocol, runPipeline);
  serve(countTokensProtocol, countTokens);
  const webSockets = serveWebSockets(app.server, { ...options, exchanges, bodies });
  app.addHook("preClose", () => webSockets.close());
  // Of connections the server knows; answers that are read to their end have lost theirs.
  app.addHook("onClose", () => exchanges.settle());
  return app;
}

const isForHost = ({ url = "" }: IncomingMessage): boolean => isAbsolute(url);

const readQuery = (url: string): string => (url.includes("?") ? url.slice(url.indexOf("?")) : "");

const METHODS = ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Those that have no route yet. */
function refuseOtherMethods(app: FastifyInstance, url: string): void {
  const method = METHODS.filter((each) => !app.hasRoute({ method: each, url }));
  app.route({
    method,
    url,
    handler: (request, reply) => {
      reply.raw.setHeader("allow", "POST");
      throw new CentspanError("method_not_allowed", `${request.method} ${url}: only POST is served`);
    },
  });
}

function sendError(reply: FastifyReply, error: CentspanError): FastifyReply {
  reply.hijack();
  reportFault(error);
  if (reply.raw.headersSent) reply.raw.destroy();
  else answerError(reply.raw, error, toErrorAt(reply.request.url, error));
  return reply;
}
