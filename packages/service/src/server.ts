/**
 * A fastify server with our errors: every failure is an RFC 9457 problem with a stable code, and nothing internal leaks.
 */
import type { Socket } from "node:net";
import { asCentspanError, CentspanError, toProblem } from "@centspan/base";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";

type ServerOptions = {
  bodyLimitBytes: number;
  /** Until a request has come whole; without it, however long its sender takes. */
  requestTimeoutMs?: number;
  /** What is answered to what is no HTTP; it ends the connection. */
  answerClientError?(thrown: Error, socket: Socket): void;
  /** How a failure is answered where clients expect another shape than problem details. */
  sendError?(reply: FastifyReply, error: CentspanError): FastifyReply;
};

export function createServer(options: ServerOptions): FastifyInstance {
  const sendError = options.sendError ?? sendProblem;
  const app = fastify({
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: options.requestTimeoutMs ?? 0,
    forceCloseConnections: "idle",
    ...(options.answerClientError && { clientErrorHandler: options.answerClientError }),
    routerOptions: { ignoreTrailingSlash: true },
    // What the router itself can't read comes to no handler.
    frameworkErrors: (thrown, _request, reply) => void sendError(reply, translateFastifyError(thrown, options)),
  });
  closeUnusedConnections(app);
  app.setErrorHandler((thrown, _request, reply) => sendError(reply, translateFastifyError(thrown, options)));
  const paths = new Set<string>();
  app.addHook("onRoute", ({ url }) => void paths.add(url));
  app.setNotFoundHandler(({ method, url }, reply) => {
    const asked = `${method} ${url.split("?")[0]}`;
    return sendError(reply, new CentspanError("unknown_path", `${asked}: there is only ${[...paths].join(", ")}`));
  });
  return app;
}

/** Connections at rest are closed when the server stops; those on which nothing was asked yet would keep it from that. */
function closeUnusedConnections(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    // One that asked for an upgrade which was not made comes again.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.addHook("preClose", async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
}

function sendProblem(reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = asCentspanError(thrown);
  reportFault(error);
  if (error.retryAfterS !== undefined) reply.header("retry-after", String(error.retryAfterS));
  return reply.code(error.status).type("application/problem+json").send(toProblem(error));
}

/** What is not said to the client goes to the log: the cause of a fault of ours. */
export function reportFault({ code, cause }: CentspanError): void {
  if (code !== "internal") return;
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`);
}

/** `GET /health`: 503 with the names of the stores that are away, which are those whose question rejects; `more` when none is. */
export async function answerHealth(
  reply: FastifyReply,
  stores: Record<string, () => Promise<unknown>>,
  more: object = {},
): Promise<FastifyReply> {
  const results = await Promise.allSettled(Object.values(stores).map((ask) => ask()));
  const away = Object.keys(stores).filter((_name, index) => results[index]?.status === "rejected");
  return away.length === 0
    ? reply.send({ status: "ok", ...more })
    : reply.code(503).send({ status: "unavailable", away });
}

function translateFastifyError(thrown: unknown, options: ServerOptions): CentspanError {
  if (thrown instanceof CentspanError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new CentspanError("payload_too_large", `body: larger than ${options.bodyLimitBytes} bytes`, {
        field: "body",
      });
    case "FST_ERR_BAD_URL":
      return new CentspanError("invalid_request", "path: is not percent-encoded UTF-8", { field: "path" });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new CentspanError("unsupported_media_type", "content-type: not one this route reads", {
        field: "content-type",
      });
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return new CentspanError("invalid_request", "body: is not valid JSON", { field: "body" });
    default:
      return asCentspanError(thrown);
  }
}

/** Listens, and turns a taken port into an error that names the port and the option. Returns the base URL. */
export async function listen(app: FastifyInstance, at: { host: string; port: number }): Promise<string> {
  try {
    return await app.listen(at);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") throw portTaken(at);
    throw error;
  }
}

const portTaken = (at: { host: string; port: number }): CentspanError =>
  new CentspanError(
    "port_taken",
    `port ${at.port} on ${at.host} is taken: free it, or choose others with \`npm start -- --port-base N\` (CENTSPAN_PORT for one service)`,
  );
