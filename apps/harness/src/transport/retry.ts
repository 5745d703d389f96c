/**
 * Trying again what may succeed later: the same content, with growing waits, as long as the other side asks for.
 * Which failures those are follows from their code; everything else is thrown at once.
 */
import { CentspanError, type ErrorCode, type Random } from "@centspan/base";

export type RetryPolicy = {
  maxTries: number;
  baseDelayMs: number;
  /** A longer wait than this is not worth it: the failure is reported instead. */
  maxDelayMs: number;
  random: Random;
};

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "upstream_failed",
  "store_unavailable",
  "upstream_timeout",
  "not_ready",
  // Of a WebSocket: a new connection with the whole input goes on.
  "previous_response_not_found",
  "websocket_connection_limit_reached",
]);

/** Runs `attempt` with the ordinal of the try, from 0, until it succeeds or fails for good. */
export async function withRetries<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  attempt: (ordinal: number) => Promise<T>,
): Promise<T> {
  for (let ordinal = 0; ; ordinal++) {
    signal.throwIfAborted();
    try {
      return await attempt(ordinal);
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = nextDelayMs(policy, ordinal, error);
      if (delayMs === null) throw error;
      await sleep(delayMs, signal);
    }
  }
}

/** Milliseconds to wait before the try after `ordinal`; null when there is none. Half of the backoff is jitter. */
export function nextDelayMs(policy: RetryPolicy, ordinal: number, error: unknown): number | null {
  if (!(error instanceof CentspanError) || !RETRYABLE.has(error.code)) return null;
  if (ordinal + 1 >= policy.maxTries) return null;
  const backoffMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** ordinal);
  const waitMs = backoffMs / 2 + (policy.random.next() * backoffMs) / 2;
  const askedMs = (error.retryAfterS ?? 0) * 1000;
  return askedMs > policy.maxDelayMs ? null : Math.max(askedMs, waitMs);
}

/** Seconds of a Retry-After header, which is a number or a date (RFC 9110, 10.2.3); undefined when it is neither. */
export function readRetryAfterS(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - nowMs) / 1000);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
