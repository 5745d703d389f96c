/** An answer over a WebSocket: the data of each event of the stream is a message, and an error is one too. */
import { CentspanError } from "@centspan/base";
import { toOpenAiError } from "@centspan/model";
import type { WebSocket } from "ws";
import { parseJson } from "../protocols/protocol.ts";
import { readRefusal } from "../upstream/read-refusal.ts";
import { createSseSplitter, type StreamPiece } from "../upstream/sse-splitter.ts";
import type { AnswerHead, AnswerSink } from "./answer-sink.ts";
import type { Departure } from "./departure.ts";
import { MAX_STALL_MS } from "./http-sink.ts";

/** What may wait in memory for a client that reads slowly. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Of a connection: `gone` happens and `left` resolves when it has closed. */
export type SocketClient = { socket: WebSocket; gone: Departure; left: Promise<unknown>; maxStallMs?: number };

/** Resolves when little waits for the client, or it is gone. One that takes nothing for too long is let go. */
export async function waitForRoom({ socket, left, maxStallMs = MAX_STALL_MS }: SocketClient): Promise<void> {
  if (socket.bufferedAmount <= MAX_WAITING_BYTES) return;
  const stalled = setTimeout(() => socket.terminate(), maxStallMs);
  // Behind all that waits: when it is out, so is the rest.
  const sent = new Promise((resolve) => socket.ping(undefined, undefined, resolve));
  await Promise.race([sent, left]);
  clearTimeout(stalled);
}

/** `onEvent` sees the data of each event before it is sent. */
export function createSocketSink(client: SocketClient, onEvent: (data: string) => void): AnswerSink {
  const { socket, gone } = client;
  const splitter = createSseSplitter();
  let head: AnswerHead | undefined;
  let failedWith: number | undefined;
  const whole: Buffer[] = [];

  const send = (pieces: readonly StreamPiece[]): void => {
    for (const { data } of pieces) {
      if (data === null) throw new CentspanError("upstream_failed", "the model server sent an event without end");
      if (data === "" || data === "[DONE]") continue;
      onEvent(data);
      socket.send(data);
    }
  };

  return {
    statusCode: () => failedWith ?? head?.statusCode,
    gone,
    begin(begun) {
      head = begun;
    },
    async write(part) {
      if (!isStream(head)) {
        whole.push(part);
        return;
      }
      send(splitter.push(part));
      await waitForRoom(client);
    },
    end() {
      if (isStream(head)) send(splitter.end());
      else socket.send(writeUpstreamError(head?.statusCode ?? 502, Buffer.concat(whole).toString()));
    },
    fail(error) {
      failedWith = error.status;
      // Half an answer is no answer: a connection that ends is what every client knows how to go on from.
      if (head !== undefined && error.code !== "content_blocked") socket.terminate();
      else socket.send(writeErrorMessage(error));
    },
  };
}

const isStream = (head: AnswerHead | undefined): boolean =>
  String(head?.headers["content-type"] ?? "").startsWith("text/event-stream");

export const writeErrorMessage = (error: CentspanError): string =>
  JSON.stringify({ type: "error", status: error.status, ...toOpenAiError(error) });

/** An answer in one piece: an error of the upstream as it said it, or a server that can't stream. */
function writeUpstreamError(status: number, body: string): string {
  const unreadable = new CentspanError("upstream_failed", `the model server answered ${status} without a stream`);
  if (status < 400) return writeErrorMessage(unreadable);
  const json = parseJson(body);
  const error: unknown = Object(json).error;
  if (typeof error === "object" && error !== null) return JSON.stringify({ type: "error", status, error });
  const type = status < 500 ? "invalid_request_error" : "server_error";
  const said = { message: readRefusal(json, status), type, param: null, code: null };
  return JSON.stringify({ type: "error", status, error: said });
}
