/**
 * Errors in the shape that clients of OpenAI's protocols read, `{error: {message, type, code, param}}`; `code` is our stable code.
 */
import { type CentspanError, ERRORS } from "@centspan/base";

export function toOpenAiError(error: CentspanError) {
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
