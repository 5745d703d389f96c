/**
 * OTLP over HTTP. One request goes: credential → body → block → group commit → answer.
 * Must not: answer before what was accepted is durable, or answer a passing fault with anything not retryable.
 * Errors are google.rpc.Status in the encoding of the request.
 */
import { asCentspanError, CentspanError } from "@centspan/base";
import { writeStatus } from "@centspan/ingest";
import type { Signal } from "@centspan/model";
import { createServer, reportFault } from "@centspan/service";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { MEDIA_TYPES, readEncoding, requireEncoding } from "./encodings.ts";
import { findOrigin, isLocal, type Sender } from "./find-origin.ts";
import type { Intake } from "./intake.ts";
import { readBody } from "./read-body.ts";
import { counted, toRpcCode } from "./take-export.ts";

/** Langfuse's SDKs post to the last one. */
const PATHS: Record<string, Signal> = {
  "/v1/traces": "traces",
  "/v1/logs": "logs",
  "/v1/metrics": "metrics",
  "/api/public/otel/v1/traces": "traces",
};
/** A sender that stalls, or is gone without a word, holds its share of the memory no longer than this. */
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_PATIENCE_MS = 5_000;
const USUAL_HEADERS = "authorization, content-encoding, content-type, traceparent, x-api-key";
const OTHER_METHODS = ["GET", "PUT", "PATCH", "DELETE"];

export type Report = { isHealthy: boolean; [fact: string]: unknown };

type HttpOptions = {
  intake: Intake;
  readHealth(): Promise<Report>;
  readStatus(): unknown;
};

export function createHttpServer({ intake, readHealth, readStatus }: HttpOptions): FastifyInstance {
  const app = createServer({
    bodyLimitBytes: intake.maxBodyBytes,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    sendError: sendStatus,
  });
  // Requests that are being answered are answered first; one that does not come to its end is not waited for.
  app.addHook("preClose", async () => {
    const force = setTimeout(() => app.server.closeAllConnections(), CLOSE_PATIENCE_MS);
    app.server.once("close", () => clearTimeout(force));
  });
  app.get("/health", async (_request, reply) => {
    const { isHealthy, ...facts } = await readHealth();
    return reply.code(isHealthy ? 200 : 503).send(facts);
  });
  app.get("/status", async (request, reply) => {
    const sender = readSender(request);
    if (!isLocal(sender)) await findOrigin(sender, intake.credentials);
    return reply.send(readStatus());
  });
  app.register(async (otlp) => {
    otlp.removeAllContentTypeParsers();
    // The body is read by the route, after the credential was checked.
    otlp.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    otlp.addHook("onRequest", async (_request, reply) => {
      reply.header("access-control-allow-origin", "*").header("access-control-expose-headers", "retry-after");
    });
    for (const [path, signal] of Object.entries(PATHS)) {
      otlp.post(path, (request, reply) =>
        counted(intake.stats, signal, () => takeRequest(intake, signal, request, reply)),
      );
      otlp.options(path, answerPreflight);
      otlp.route({ method: OTHER_METHODS, url: path, handler: refuseMethod });
    }
  });
  return app;
}

async function takeRequest(
  intake: Intake,
  signal: Signal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = requireEncoding(request.headers["content-type"]);
  const origin = await findOrigin(readSender(request), intake.credentials);
  intake.requireRoom();
  const share = intake.budget.open();
  try {
    const body = await readBody(request.raw, { maxBytes: intake.maxBodyBytes, onBytes: share.add });
    return reply.type(MEDIA_TYPES[encoding]).send(await intake.takeExport({ signal, encoding, origin, body }));
  } finally {
    share.close();
  }
}

const readSender = ({ headers, socket }: FastifyRequest): Sender => ({ headers, remoteAddress: socket.remoteAddress });

function sendStatus(reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = asCentspanError(thrown);
  reportFault(error);
  if (error.retryAfterS !== undefined) reply.header("retry-after", String(error.retryAfterS));
  // The rest of a body that is too large is not worth waiting for.
  if (error.code === "payload_too_large") reply.header("connection", "close");
  const encoding = readEncoding(reply.request.headers["content-type"]) ?? "json";
  const status = writeStatus(encoding, { code: toRpcCode(error), message: error.message });
  return reply.code(error.status).type(MEDIA_TYPES[encoding]).send(status);
}

/** Any origin may send, and SDKs have headers of their own: whichever are asked for may come. */
async function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .code(204)
    .header("access-control-allow-methods", "POST, OPTIONS")
    .header("access-control-allow-headers", headers["access-control-request-headers"] ?? USUAL_HEADERS)
    .header("vary", "access-control-request-headers")
    .header("access-control-max-age", "86400")
    .send();
}

async function refuseMethod(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header("allow", "POST, OPTIONS");
  throw new CentspanError("method_not_allowed", `${request.method} is not POST`);
}
