/** The one place where the gateway's failures become answers. */
import type { ServerResponse } from "node:http";
import { asCentspanError, type CentspanError } from "@centspan/base";
import { toOpenAiError } from "@centspan/model";
import { reportFault } from "@centspan/service";

/** Answers with an error; `streamError` is written instead where an answer has already begun. */
export function answerError(
  response: ServerResponse,
  thrown: unknown,
  streamError: (error: CentspanError) => string,
): void {
  const error = asCentspanError(thrown);
  reportFault(error);
  if (response.destroyed) return;
  if (!response.headersSent) {
    const headers = { "content-type": "application/json", ...retryAfter(error) };
    response.writeHead(error.status, headers).end(JSON.stringify(toOpenAiError(error)));
  } else if (error.code === "content_blocked" && isEventStream(response)) response.end(streamError(error));
  // A cut is the only sign of a failure that every client understands in the middle of an answer.
  else response.destroy();
}

const retryAfter = (error: CentspanError): Record<string, string> =>
  error.retryAfterS === undefined ? {} : { "retry-after": String(error.retryAfterS) };

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream");
