/** An answer over HTTP, and the one place where a failure becomes one. */
import type { ServerResponse } from "node:http";
import type { CentspanError } from "@centspan/base";
import type { InferenceProtocol } from "../protocols/protocol.ts";
import type { AnswerSink } from "./answer-sink.ts";
import { createDeparture } from "./departure.ts";

/** How a client reads errors. */
type ErrorShape = Pick<InferenceProtocol, "writeError" | "writeStreamError">;

/** A client that takes nothing for so long has gone, whatever its connection says. */
export const MAX_STALL_MS = 300_000;

export function createHttpSink(response: ServerResponse, shape: ErrorShape, maxStallMs = MAX_STALL_MS): AnswerSink {
  const gone = createDeparture();
  response.once("close", () => {
    if (!response.writableFinished) gone.tell();
  });
  let isWritten = false;
  return {
    statusCode: () => (response.headersSent ? response.statusCode : undefined),
    gone,
    begin({ statusCode, headers }) {
      // Set one by one, they can still be read when an error has to know what kind of answer it ends.
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.writeHead(statusCode);
      // Together with the first bytes, where those are there already.
      setImmediate(() => {
        if (!isWritten && !response.writableEnded) response.flushHeaders();
      });
    },
    async write(part) {
      isWritten = true;
      if (!response.write(part)) await waitForRoom(response, maxStallMs);
    },
    end: () => void response.end(),
    fail: (error) => failAnswer(response, error, shape),
  };
}

function failAnswer(response: ServerResponse, error: CentspanError, shape: ErrorShape): void {
  if (response.destroyed) return;
  if (!response.headersSent) answerError(response, error, shape.writeError(error));
  else if (error.code === "content_blocked" && isEventStream(response)) response.end(shape.writeStreamError(error));
  // A cut is the only sign of a failure that every client understands in the middle of an answer.
  else response.destroy();
}

/** Nothing of an answer was sent yet. */
export function answerError(response: ServerResponse, error: CentspanError, body: object): void {
  const headers = {
    "content-type": "application/json",
    ...retryAfter(error),
    // What is still to come of the request is not waited for.
    ...(error.code === "request_timeout" && { connection: "close" }),
  };
  response.writeHead(error.status, headers).end(JSON.stringify(body));
}

export const retryAfter = (error: CentspanError): Record<string, string> =>
  error.retryAfterS === undefined ? {} : { "retry-after": String(error.retryAfterS) };

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream");

/** Resolves when the client has read enough, or is gone. */
function waitForRoom(response: ServerResponse, maxStallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => response.destroy(), maxStallMs);
    const done = (): void => {
      clearTimeout(stalled);
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
    if (response.destroyed) done();
  });
}
