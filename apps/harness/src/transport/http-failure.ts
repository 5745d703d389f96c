/** An HTTP answer or a broken connection as one of our errors: the one place that knows which status means what. */
import { CentspanError, type ErrorCode } from "@centspan/base";
import { z } from "zod";
import { errorCode } from "../sandbox/file-error.ts";
import { readRetryAfterS } from "./retry.ts";

const CODES = new Map<number, ErrorCode>([
  [400, "invalid_request"],
  [401, "unauthenticated"],
  [403, "forbidden"],
  [404, "not_found"],
  [409, "conflict"],
  [413, "payload_too_large"],
  [415, "unsupported_media_type"],
  [429, "rate_limited"],
  [502, "upstream_failed"],
  [503, "store_unavailable"],
  [504, "upstream_timeout"],
]);

export const codeOfStatus = (status: number): ErrorCode => CODES.get(status) ?? "internal";

/** The two shapes errors come in: RFC 9457 problem details, and the model providers' `{error: {message}}`. */
const errorBodySchema = z.union([
  z.looseObject({ detail: z.string() }).transform((body) => body.detail),
  z.looseObject({ error: z.looseObject({ message: z.string() }) }).transform((body) => body.error.message),
]);

const MAX_QUOTED = 500;

export function failureOfStatus(
  peer: string,
  answer: { status: number; retryAfter: string | undefined; body: string },
): CentspanError {
  const says = readMessage(answer.body);
  const retryAfterS = readRetryAfterS(answer.retryAfter, Date.now());
  return new CentspanError(
    codeOfStatus(answer.status),
    `${peer} answered ${answer.status}${says === "" ? "" : `: ${says}`}`,
    retryAfterS === undefined ? {} : { retryAfterS },
  );
}

/** A connection that could not be made or broke, which is worth another try; anything else stays what it is. */
export function failureOfConnection(peer: string, error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof CentspanError || code === undefined) return error;
  const why = error instanceof Error && error.message !== "" ? error.message : code;
  return new CentspanError("upstream_failed", `${peer} can't be reached or broke off: ${why}`, { cause: error });
}

function readMessage(body: string): string {
  try {
    const parsed = errorBodySchema.safeParse(JSON.parse(body));
    if (parsed.success) return parsed.data.slice(0, MAX_QUOTED);
  } catch {
    // Not JSON: the text itself is the message.
  }
  return body.trim().slice(0, MAX_QUOTED);
}
