/**
 * The one table of expected failures: stable code → HTTP status and what to do about it.
 * Apps translate a CentspanError once, at their edge. Bugs are assertions, not entries here.
 * Add one: append a row; a code never changes its meaning.
 */
export const ERRORS = {
  invalid_request: { status: 400, title: "The request is not valid", remedy: "Correct the named field." },
  invalid_file: {
    status: 400,
    title: "The file can't be read",
    remedy: "Correct the named line; nothing was imported.",
  },
  unauthenticated: {
    status: 401,
    title: "No valid key",
    remedy: "Send `Authorization: Bearer <key>` with a key of this workspace.",
  },
  forbidden: { status: 403, title: "This key may not do that", remedy: "Use a key of the kind the message names." },
  not_found: { status: 404, title: "Nothing by that id", remedy: "Check the id and the workspace." },
  method_not_allowed: { status: 405, title: "Method not allowed", remedy: "Use a method the API document lists." },
  conflict: {
    status: 409,
    title: "It contradicts what is already there",
    remedy: "Use another id, or send the same content.",
  },
  payload_too_large: { status: 413, title: "Too large", remedy: "Send less at once; the message names the limit." },
  unsupported_media_type: {
    status: 415,
    title: "Unknown content type",
    remedy: "Send one of the types the message names.",
  },
  rate_limited: { status: 429, title: "Too many requests", remedy: "Wait as Retry-After says and repeat." },
  previous_response_not_found: {
    status: 400,
    title: "Not the latest response of this connection",
    remedy: "Send the whole input, without previous_response_id.",
  },
  websocket_connection_limit_reached: {
    status: 400,
    title: "The connection has come to its end",
    remedy: "Open a new one and send the whole input.",
  },
  content_blocked: { status: 400, title: "Blocked by a safety check", remedy: "See the check the message names." },
  internal: {
    status: 500,
    title: "A fault in Centspan",
    remedy: "Report it with the request id; the log has the cause.",
  },
  upstream_failed: {
    status: 502,
    title: "The model server failed",
    remedy: "Repeat; if it lasts, check the upstream's log.",
  },
  store_unavailable: {
    status: 503,
    title: "A store is away",
    remedy: "Repeat as Retry-After says; nothing was acknowledged.",
  },
  upstream_timeout: {
    status: 504,
    title: "The model server did not answer in time",
    remedy: "Repeat, or raise the time limit.",
  },
  port_taken: { status: 500, title: "The port is taken", remedy: "Free it or choose another with the named option." },
  not_ready: { status: 503, title: "Not ready yet", remedy: "Wait until start-up has finished." },
  request_timeout: {
    status: 408,
    title: "The request did not come whole in time",
    remedy: "Send it again, without pauses.",
  },
  check_unavailable: {
    status: 503,
    title: "A safety check could not be done",
    remedy: "Repeat; if it lasts, look after the classifier the message names.",
  },
  egress_refused: {
    status: 403,
    title: "This key may not reach that",
    remedy: "Let somebody add to the key's rule `egress` what the message names.",
  },
  host_unreachable: {
    status: 502,
    title: "The host can't be reached",
    remedy: "Check its name and port, as the gateway sees them.",
  },
  budget_exceeded: {
    status: 402,
    title: "A budget is spent",
    remedy: "Wait until it resets, or let somebody raise its limit; the same request is refused until then.",
  },
  budget_reserved: {
    status: 429,
    title: "What is left of a budget is held for calls under way",
    remedy: "Wait as Retry-After says and repeat.",
  },
  unpriced_model: {
    status: 403,
    title: "A budget refuses a model without a price",
    remedy: "Ask for another model, or let somebody add its price, or allow what is unpriced in the budget.",
  },
  overloaded: {
    status: 503,
    title: "Too much at once",
    remedy: "Repeat as Retry-After says; where it happens often, more of these services are needed.",
  },
  unknown_path: {
    status: 404,
    title: "No such path",
    remedy: "Ask for one that the message names; docs/gateway.md, docs/ingest.md and docs/api.md say what they do.",
  },
  interrupted: { status: 503, title: "Stopped before it was done", remedy: "Start it again." },
} as const;

export type ErrorCode = keyof typeof ERRORS;

type ErrorDetails = {
  /** Path of the offending field, as a person would write it: `input[2].content`. */
  field?: string;
  retryAfterS?: number;
  cause?: unknown;
};

/** An expected failure. `message` names the field, what is wrong with its value, and nothing secret. */
export class CentspanError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "CentspanError";
    this.code = code;
    this.field = details.field;
    this.retryAfterS = details.retryAfterS;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** RFC 9457 problem details: the body of every error answer of our own APIs. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  remedy: string;
  field?: string;
};

export function toProblem(error: CentspanError): Problem {
  const { status, title, remedy } = ERRORS[error.code];
  return {
    type: `urn:centspan:error:${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.message,
    remedy,
    ...(error.field === undefined ? {} : { field: error.field }),
  };
}

/** Any thrown value as a CentspanError; what is not expected becomes `internal` without leaking its message. */
export function asCentspanError(thrown: unknown): CentspanError {
  if (thrown instanceof CentspanError) return thrown;
  return new CentspanError("internal", "The request failed for a reason that is in the log.", { cause: thrown });
}

/** For states that can't happen: a failed assertion is a bug. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}
