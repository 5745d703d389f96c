/**
 * The collector's routes. One request goes: credential → body → decode → group commit → answer.
 * Must not: acknowledge before the spans are durable, or answer a passing fault with anything not retryable.
 * Add a signal: a route here, a decoder beside decode/, a lane of its own in group commit.
 */
import { asCentspanError, CentspanError } from "@centspan/base";
import type { Principal, SpanStore } from "@centspan/model";
import { answerHealth, type CredentialCache, createServer, reportFault } from "@centspan/service";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ENCODINGS, type Encoding, readEncoding, requireEncoding, writeExportResponse, writeStatus } from "./answer.ts";
import { decodeJson } from "./decode/decode-json.ts";
import { decodeProtobuf } from "./decode/decode-protobuf.ts";
import { BadValue, type DecodedTraces, describeBadValue, describeRejections } from "./decode/decoded-traces.ts";
import { findWorkspace } from "./find-workspace.ts";
import { createGroupCommit } from "./group-commit.ts";
import { createByteBudget, readBody } from "./read-body.ts";

type CollectorOptions = {
  spans: Pick<SpanStore, "insertSpans">;
  credentials: CredentialCache<Principal>;
  /** Where requests without a credential go, when they come from this machine. */
  defaultWorkspace?: string | undefined;
  /** Rejects when a store is away; the name is what the health answer says. */
  stores?: Record<string, () => Promise<unknown>>;
  maxBodyBytes?: number;
  maxHeldBytes?: number;
  onFault?(error: unknown): void;
};

/** Langfuse's SDKs post to the second path. */
const TRACE_PATHS = ["/v1/traces", "/api/public/otel/v1/traces"];
const OTHER_METHODS = ["GET", "PUT", "PATCH", "DELETE"];
const MEBIBYTE = 1024 * 1024;

export function createCollector(options: CollectorOptions): FastifyInstance {
  const maxBodyBytes = options.maxBodyBytes ?? 64 * MEBIBYTE;
  const app = createServer({ bodyLimitBytes: maxBodyBytes });
  const exportTraces = createTraceExport(options, maxBodyBytes);
  app.get("/health", (_request, reply) => answerHealth(reply, options.stores ?? {}));
  app.register(async (otlp) => {
    otlp.removeAllContentTypeParsers();
    // The body is read by the route, after the credential was checked.
    otlp.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    otlp.setErrorHandler((thrown, request, reply) => sendStatus(request, reply, thrown));
    otlp.addHook("onRequest", async (_request, reply) => {
      reply.header("access-control-allow-origin", "*").header("access-control-expose-headers", "retry-after");
    });
    for (const path of TRACE_PATHS) {
      otlp.post(path, exportTraces);
      otlp.options(path, answerPreflight);
      otlp.route({ method: OTHER_METHODS, url: path, handler: refuseMethod });
    }
  });
  return app;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function createTraceExport(options: CollectorOptions, maxBodyBytes: number): Handler {
  const budget = createByteBudget(options.maxHeldBytes ?? 256 * MEBIBYTE);
  const commits = createGroupCommit({ store: options.spans, onFault: options.onFault ?? (() => undefined) });
  return async (request, reply) => {
    const encoding = requireEncoding(request.headers["content-type"]);
    const workspace = await findWorkspace(
      { headers: request.headers, remoteAddress: request.socket.remoteAddress },
      { credentials: options.credentials, defaultWorkspace: options.defaultWorkspace },
    );
    const share = budget.open();
    try {
      const body = await readBody(request.raw, { maxBytes: maxBodyBytes, onBytes: share.add });
      const traces = decode(body, encoding);
      await commits.commit(workspace, traces.spans);
      return reply
        .type(ENCODINGS[encoding])
        .send(writeExportResponse(encoding, traces.rejected, describeRejections(traces)));
    } finally {
      share.close();
    }
  };
}

function decode(body: Buffer, encoding: Encoding): DecodedTraces {
  try {
    return encoding === "json" ? decodeJson(body) : decodeProtobuf(body);
  } catch (thrown) {
    if (!(thrown instanceof BadValue)) throw thrown;
    throw new CentspanError("invalid_request", describeBadValue(thrown), { field: thrown.path || "body" });
  }
}

function sendStatus(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = asCentspanError(thrown);
  reportFault(error);
  if (error.retryAfterS !== undefined) reply.header("retry-after", String(error.retryAfterS));
  // The rest of a body that is too large is not worth waiting for.
  if (error.code === "payload_too_large") reply.header("connection", "close");
  const encoding = readEncoding(request.headers["content-type"]) ?? "json";
  return reply.code(error.status).type(ENCODINGS[encoding]).send(writeStatus(encoding, error));
}

const answerPreflight: Handler = async (_request, reply) =>
  reply
    .code(204)
    .header("access-control-allow-methods", "POST, OPTIONS")
    .header("access-control-allow-headers", "authorization, content-encoding, content-type, traceparent, x-api-key")
    .header("access-control-max-age", "86400")
    .send();

async function refuseMethod(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header("allow", "POST, OPTIONS");
  throw new CentspanError("method_not_allowed", `${request.method} is not POST`);
}
