/**
 * Errors in the shapes that clients of the protocols read. Whatever the shape, `code` is our stable code and `param` the
 * field as a person would write it.
 */
import { type CentspanError, ERRORS } from "@centspan/base";

/** `{error: {message, type, code, param}}`. */
export const toOpenAiError = (error: CentspanError) => ({
  error: {
    message: describe(error),
    type: toOpenAiType(error.status),
    code: error.code,
    param: error.field ?? null,
  },
});

/** `{type: "error", error: {type, message}}`. */
export const toAnthropicError = (error: CentspanError) =>
  writeAnthropicError(error.status, describe(error), { code: error.code, param: error.field ?? null });

/** The same of an error that is not ours. */
export const writeAnthropicError = (status: number, message: string, more: object = {}) => ({
  type: "error",
  error: { type: toAnthropicType(status), message, ...more },
});

/** The shape for an address that need not be one that is served, with or without its query. */
export const toErrorAt = (url: string, error: CentspanError) =>
  /^\/v1\/messages([/?]|$)/.test(url) ? toAnthropicError(error) : toOpenAiError(error);

const describe = (error: CentspanError): string => `${endSentence(error.message)} ${ERRORS[error.code].remedy}`;

const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function toOpenAiType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 402) return "insufficient_quota";
  if (status === 403) return "permission_error";
  if (status === 404) return "not_found_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

function toAnthropicType(status: number): string {
  if (status === 402) return "billing_error";
  if (status === 413) return "request_too_large";
  if (status === 503) return "overloaded_error";
  if (status === 504) return "timeout_error";
  return status < 500 ? toOpenAiType(status) : "api_error";
}
