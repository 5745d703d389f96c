/**
 * The gateway's routes. Inference requests leave fastify at once: their answers are written as bytes arrive.
 * Must not: hold state that a restart would lose, other than caches.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { CentspanError } from "@centspan/base";
import { toOpenAiError } from "@centspan/model";
import { answerHealth, createServer } from "@centspan/service";
import { contextOf, endSpan, failSpan, readTraceContext, setAttributes, startSpan } from "@centspan/telemetry";
import type { Tracer } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply } from "fastify";
import { answerError } from "./answer-error.ts";
import type { Exchange } from "./exchange.ts";
import { readCountHeader, readIdentity } from "./identity.ts";
import { type PipelineOptions, runPipeline } from "./pipeline.ts";
import type { InferenceProtocol } from "./protocols/protocol.ts";
import { PROTOCOLS } from "./protocols/registry.ts";
import { authenticate } from "./stages/admit.ts";
import { MAX_BODY_BYTES } from "./stages/parse.ts";
import { selectRequestHeaders, selectResponseHeaders } from "./upstream/upstream.ts";

export type GatewayOptions = PipelineOptions & {
  tracer: Tracer;
  /** Rejects when a store is away; the name is what the health answer says. */
  stores?: Record<string, () => Promise<unknown>>;
};

export function createGateway(options: GatewayOptions): FastifyInstance {
  const app = createServer({ bodyLimitBytes: MAX_BODY_BYTES, sendError });
  const seenSockets = new WeakSet<Socket>();
  app.removeAllContentTypeParsers();
  // Bodies are read by the pipeline, after the key was checked.
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  app.get("/health", (_request, reply) => answerHealth(reply, options.stores ?? {}));
  app.get("/v1/models", (request, reply) => passModels(request.raw, reply, options));
  for (const protocol of PROTOCOLS) {
    app.post(protocol.route, async (request, reply) => {
      reply.hijack();
      await handleInference({ protocol, request: request.raw, response: reply.raw, seenSockets }, options);
    });
  }
  // Agents that try a WebSocket first fall back to HTTP at once on this status, and only after retries on others.
  app.get("/v1/responses", (_request, reply) =>
    reply.code(426).send(toOpenAiError(new CentspanError("method_not_allowed", "WebSocket is not offered: use POST."))),
  );
  return app;
}

type Incoming = {
  protocol: InferenceProtocol;
  request: IncomingMessage;
  response: ServerResponse;
  seenSockets: WeakSet<Socket>;
};

async function handleInference(incoming: Incoming, options: GatewayOptions): Promise<void> {
  const { protocol, request, response } = incoming;
  const exchange = openExchange(incoming, options.tracer);
  const { serverSpan } = exchange;
  try {
    exchange.identity = readIdentity(request.headers);
    setAttributes(serverSpan, {
      ...exchange.identity,
      "centspan.attempt": readCountHeader(request.headers, "x-centspan-attempt"),
      "centspan.retry.ordinal": readCountHeader(request.headers, "x-centspan-retry"),
    });
    setAttributes(serverSpan, { "http.response.body.size": await runPipeline(exchange, options) });
  } catch (thrown) {
    failSpan(serverSpan, thrown);
    answerError(response, thrown, (error) => protocol.writeStreamError(error));
  } finally {
    if (response.headersSent) setAttributes(serverSpan, { "http.response.status_code": response.statusCode });
    endSpan(serverSpan);
  }
}

function openExchange({ protocol, request, response, seenSockets }: Incoming, tracer: Tracer): Exchange {
  const parent = readTraceContext(request.headers);
  const serverSpan = startSpan(tracer, "POST {route}", {
    parent,
    subject: protocol.route,
    attributes: {
      "http.request.method": "POST",
      "http.route": protocol.route,
      "centspan.connection.reused": seenSockets.has(request.socket),
    },
  });
  seenSockets.add(request.socket);
  const client = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) client.abort();
  });
  const serverContext = contextOf(serverSpan, parent);
  const shared = { tracer, serverSpan, serverContext, identity: {}, clientGone: client.signal };
  return { protocol, request, response, ...shared };
}

async function passModels(
  request: IncomingMessage,
  reply: FastifyReply,
  options: GatewayOptions,
): Promise<FastifyReply> {
  await authenticate(request.headers, options.admit.credentials);
  const [upstream] = options.upstreams;
  const client = new AbortController();
  reply.raw.once("close", () => client.abort());
  const answer = await upstream.send({
    method: "GET",
    path: "/v1/models",
    headers: selectRequestHeaders(request.headers, upstream),
    body: null,
    signal: client.signal,
  });
  return reply.code(answer.statusCode).headers(selectResponseHeaders(answer.headers)).send(answer.body);
}

function sendError(reply: FastifyReply, error: CentspanError): FastifyReply {
  reply.hijack();
  answerError(reply.raw, error, () => "");
  return reply;
}
