/**
 * Errors in the shape that clients of OpenAI's protocols read, `{error: {message, type, code, param}}`; `code` is
 * our stable code. The one place where the gateway's failures become answers.
 */
import type { ServerResponse } from "node:http";
import { asCentspanError, type CentspanError, ERRORS } from "@centspan/base";

export function toErrorBody(error: CentspanError) {
  return {
    error: {
      message: `${endSentence(error.message)} ${ERRORS[error.code].remedy}`,
      type: toType(error.status),
      code: error.code,
      param: error.field ?? null,
    },
  };
}

const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function toType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 404) return "not_found_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** Answers with an error; `streamError` is written instead where an answer has already begun. */
export function answerError(
  response: ServerResponse,
  thrown: unknown,
  streamError: (error: CentspanError) => string,
): void {
  const error = asCentspanError(thrown);
  if (error.code === "internal") reportFault(error.cause);
  if (response.destroyed) return;
  if (!response.headersSent) {
    const headers = { "content-type": "application/json", ...retryAfter(error) };
    response.writeHead(error.status, headers).end(JSON.stringify(toErrorBody(error)));
  } else if (error.code === "content_blocked" && isEventStream(response)) response.end(streamError(error));
  // A cut is the only sign of a failure that every client understands in the middle of an answer.
  else response.destroy();
}

const retryAfter = (error: CentspanError): Record<string, string> =>
  error.retryAfterS === undefined ? {} : { "retry-after": String(error.retryAfterS) };

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream");

function reportFault(cause: unknown): void {
  process.stderr.write(`gateway: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`);
}
