/**
 * Responses over a WebSocket: the upgrade, who may open one, and how long it lives.
 * Limits: connections of a key, bytes of a message, age. Each message is admitted anew, since a key may end before.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { asCentspanError, CentspanError } from "@centspan/base";
import { toErrorAt } from "@centspan/model";
import { WebSocketServer } from "ws";
import { authenticate } from "../stages/admit.ts";
import { endSocket } from "./end-socket.ts";
import { retryAfter } from "./http-sink.ts";
import { ignoreUpgrade } from "./ignore-upgrade.ts";
import { createLatestResponses } from "./latest-responses.ts";
import { MAX_BODY_BYTES } from "./read-http-body.ts";
import { type ConnectionOptions, serveConnection } from "./serve-connection.ts";

export type WebSocketLimits = {
  /** A connection that is older ends with its next answer. */
  maxAgeMs: number;
  connectionsPerKey: number;
  /** Who does not answer a ping by the next is gone. */
  pingEveryMs: number;
  /** Of all conversations that are remembered. */
  maxRememberedChars: number;
};

const LIMITS: WebSocketLimits = {
  maxAgeMs: 60 * 60 * 1000,
  connectionsPerKey: 1000,
  pingEveryMs: 30_000,
  maxRememberedChars: 512 * 1024 * 1024,
};
const ROUTE = "/v1/responses";
/** Compressing less costs more than it saves. */
const COMPRESSED_FROM_BYTES = 1024;

export type WebSocketOptions = Omit<ConnectionOptions, "maxAgeMs" | "pingEveryMs" | "latest"> & {
  webSockets?: Partial<WebSocketLimits>;
};

export function serveWebSockets(server: Server, options: WebSocketOptions): { close(): Promise<void> } {
  const limits = { ...LIMITS, ...options.webSockets };
  const latest = createLatestResponses(limits.maxRememberedChars);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: { threshold: COMPRESSED_FROM_BYTES },
  });
  const open = new Set<{ close(): Promise<void> }>();
  const perKey = new Map<string, number>();
  let isClosing = false;

  const accept = async (request: IncomingMessage, duplex: Duplex, head: Buffer): Promise<void> => {
    const [pathname = "/"] = (request.url ?? "/").split("?");
    if (pathname !== ROUTE) {
      throw new CentspanError("unknown_path", `${pathname}: there is no WebSocket, only at ${ROUTE}`);
    }
    const { keyId } = await authenticate(request.headers, options.admit.credentials);
    // Asked last: a connection that comes in while the others end would keep the gateway from stopping.
    if (isClosing) throw new CentspanError("not_ready", "the gateway is about to stop", { retryAfterS: 1 });
    const count = (perKey.get(keyId) ?? 0) + 1;
    if (count > limits.connectionsPerKey) {
      const message = `this key has ${limits.connectionsPerKey} connections open, which is the most`;
      throw new CentspanError("rate_limited", message, { retryAfterS: 60 });
    }
    sockets.handleUpgrade(request, duplex, head, (socket) => {
      perKey.set(keyId, count);
      const connection = serveConnection(socket, request, { ...options, ...limits, latest });
      open.add(connection);
      socket.once("close", () => {
        open.delete(connection);
        const left = (perKey.get(keyId) ?? 1) - 1;
        if (left === 0) perKey.delete(keyId);
        else perKey.set(keyId, left);
      });
    });
  };

  server.on("upgrade", (request, duplex, head) => {
    if (request.headers.upgrade?.toLowerCase() !== "websocket") return ignoreUpgrade(server, request, duplex, head);
    duplex.on("error", () => duplex.destroy());
    accept(request, duplex, head).catch((thrown: unknown) => refuse(duplex, request, asCentspanError(thrown)));
  });

  return {
    /** Answers that are under way are finished first. */
    async close() {
      isClosing = true;
      await Promise.all([...open].map((connection) => connection.close()));
      sockets.close();
    },
  };
}

const refuse = (duplex: Duplex, { url = "/" }: IncomingMessage, error: CentspanError): void =>
  endSocket(duplex, error, { status: error.status, headers: retryAfter(error) }, toErrorAt(url, error));
