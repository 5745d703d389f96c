/**
 * Turns over one WebSocket: what the server has of the thread is named by the id of its latest response, and only what
 * came after it is sent. Invariant: whenever the server may not have it (another connection, a failed turn, another head)
 * the whole input is sent again.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { CentspanError } from "@centspan/base";
import { type RawData, WebSocket } from "ws";
import { errorCode } from "../sandbox/file-error.ts";
import { failureOfConnection, failureOfStatus } from "./http-failure.ts";
import { createTurnReader, type TurnResult } from "./read-turn.ts";
import {
  MAX_ANSWER_BYTES,
  PEER,
  SILENCE_LIMIT_MS,
  type Traffic,
  type Transport,
  TransportRefused,
  type TurnRequest,
  tooLong,
} from "./turn.ts";

export type WebSocketOptions = {
  /** Of `/v1/responses`. */
  url: URL;
  key: string;
  /** False sends the whole input in each turn. */
  incremental: boolean;
};

/** What the server remembers of this connection. */
type Known = { responseId: string; head: string; items: readonly string[] };

const HANDSHAKE_LIMIT_MS = 30_000;

export function createWebSocketTransport(options: WebSocketOptions): Transport {
  let socket: WebSocket | null = null;
  let known: Known | null = null;

  const openSocket = async (request: TurnRequest, traffic: Traffic): Promise<WebSocket> => {
    if (socket?.readyState === WebSocket.OPEN) return socket;
    known = null;
    socket = await connect(options, request.signal);
    traffic.handshakes += 1;
    return socket;
  };

  return {
    kind: "websocket",
    async send(request, ordinal, traffic) {
      const open = await openSocket(request, traffic);
      const before = options.incremental ? known : null;
      const added = before === null ? null : listAdded(before, request.prompt.head, request.prompt.items);
      // Until the answer is whole there is nothing to build on.
      known = null;
      const message = writeMessage(request, ordinal, added === null ? null : (before?.responseId ?? null), added);
      traffic.incremental = added !== null;
      traffic.bytesSent += Buffer.byteLength(message);
      try {
        const result = await readAnswer(open, message, request.signal, traffic);
        const items = [...request.prompt.items, ...result.items.map((item) => JSON.stringify(item))];
        known = { responseId: result.responseId, head: request.prompt.head, items };
        return result;
      } catch (error) {
        // What else comes on it would be taken for the next answer.
        open.terminate();
        request.signal.throwIfAborted();
        throw failureOfConnection(PEER, error);
      }
    },
    close: () => socket?.close(),
  };
}

/** The items that come after what is known; null when the prompt does not go on from it. */
function listAdded(known: Known, head: string, items: readonly string[]): readonly string[] | null {
  const goesOn = known.head === head && known.items.every((item, index) => item === items[index]);
  return goesOn ? items.slice(known.items.length) : null;
}

function writeMessage(
  { prompt, headers }: TurnRequest,
  ordinal: number,
  previousId: string | null,
  added: readonly string[] | null,
): string {
  const metadata = { ...headers, "x-centspan-retry": String(ordinal) };
  const members = [
    '"type":"response.create"',
    prompt.head,
    ...(previousId === null ? [] : [`"previous_response_id":${JSON.stringify(previousId)}`]),
    `"input":[${(added ?? prompt.items).join(",")}]`,
    `"client_metadata":${JSON.stringify(metadata)}`,
  ];
  return `{${members.join(",")}}`;
}

async function connect({ url, key }: WebSocketOptions, signal: AbortSignal): Promise<WebSocket> {
  const address = new URL(url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${key}`, "openai-beta": "responses_websockets=2026-02-06" },
    handshakeTimeout: HANDSHAKE_LIMIT_MS,
    maxPayload: MAX_ANSWER_BYTES,
  });
  const refused = new Promise<never>((_resolve, reject) => {
    socket.once("unexpected-response", (request, response) => {
      readRefusal(response).then(reject, reject);
      response.once("close", () => request.destroy());
    });
  });
  refused.catch(() => undefined);
  try {
    await Promise.race([once(socket, "open", { signal }), refused]);
    // What goes wrong between turns closes the socket, and the next turn opens another.
    socket.on("error", () => undefined);
    return socket;
  } catch (error) {
    socket.on("error", () => undefined);
    socket.terminate();
    signal.throwIfAborted();
    throw failureOfConnection(PEER, error);
  }
}

/** Statuses by which servers say that they want no WebSocket here, as opposed to not now or not you. */
const NO_WEB_SOCKETS = new Set([200, 301, 302, 307, 308, 400, 404, 405, 426, 501]);

const MAX_REFUSAL_LENGTH = 64 * 1024;

async function readRefusal(response: IncomingMessage): Promise<Error> {
  const status = response.statusCode ?? 0;
  let body = "";
  for await (const piece of response.setEncoding("utf8")) {
    body += piece;
    // Leaving the loop closes the connection: of an answer without end, its beginning is enough.
    if (body.length >= MAX_REFUSAL_LENGTH) break;
  }
  if (NO_WEB_SOCKETS.has(status)) return new TransportRefused(`no WebSocket: ${PEER} answered ${status}`);
  return failureOfStatus(PEER, { status, retryAfter: response.headers["retry-after"], body });
}

function readAnswer(socket: WebSocket, message: string, signal: AbortSignal, traffic: Traffic): Promise<TurnResult> {
  const reader = createTurnReader();
  let bytes = 0;
  return new Promise<TurnResult>((resolve, reject) => {
    const silence = setTimeout(
      () => settle(() => reject(lost(`said nothing for ${SILENCE_LIMIT_MS / 1000} seconds`))),
      SILENCE_LIMIT_MS,
    );
    const onMessage = (data: RawData): void => {
      silence.refresh();
      const text = String(data);
      bytes += Buffer.byteLength(text);
      traffic.bytesReceived += Buffer.byteLength(text);
      try {
        if (bytes > MAX_ANSWER_BYTES) throw tooLong();
        if (reader.take(text)) settle(() => resolve(reader.finish()));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onError = (error: Error): void =>
      settle(() => reject(errorCode(error) === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH" ? tooLong() : error));
    const onClose = (code: number): void => settle(() => reject(lost(`closed the WebSocket (${code})`)));
    const onAbort = (): void => settle(() => reject(signal.reason));
    const settle = (finish: () => void): void => {
      clearTimeout(silence);
      socket.off("message", onMessage);
      socket.off("error", onError);
      socket.off("close", onClose);
      signal.removeEventListener("abort", onAbort);
      finish();
    };
    socket.on("message", onMessage);
    socket.once("error", onError);
    socket.once("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.send(message);
  });
}

const lost = (what: string): CentspanError => new CentspanError("upstream_failed", `${PEER} ${what}`);
