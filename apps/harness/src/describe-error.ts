/** A failure as one line for a person; for one that nobody expected the cause is the useful part. */
import type { CentspanError } from "@centspan/base";

export function describeError(error: CentspanError): string {
  if (error.code !== "internal" || error.cause === undefined) return error.message;
  return error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : String(error.cause);
}
