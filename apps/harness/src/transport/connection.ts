/**
 * The turns of one thread over the best transport that works: one that is refused, or fails twice in a row, is left for
 * the next one for the rest of the thread. A turn that failed for a passing reason is sent again with the same content.
 */
import { CentspanError } from "@centspan/base";
import { type RetryPolicy, withRetries } from "./retry.ts";
import { type Transport, TransportRefused, type TurnAnswer, type TurnRequest } from "./turn.ts";

export type ModelConnection = { send(request: TurnRequest): Promise<TurnAnswer>; close(): void };

const FAILURES_BEFORE_FALLBACK = 2;

/** `transports` come best first; there is at least one. */
export function createConnection(transports: readonly Transport[], retry: RetryPolicy): ModelConnection {
  const [first, ...others] = transports;
  if (first === undefined) throw new Error("a connection needs a transport");
  let transport = first;
  let failures = 0;

  return {
    async send(request) {
      const traffic = { bytesSent: 0, bytesReceived: 0, handshakes: 0, incremental: false, replayed: false };
      let fallback: string | null = null;
      const leave = (error: Error): boolean => {
        const next = others.shift();
        if (next === undefined) return false;
        transport.close();
        transport = next;
        failures = 0;
        fallback = error.message;
        return true;
      };
      return withRetries(retry, request.signal, async (ordinal) => {
        for (;;) {
          try {
            const result = await transport.send(request, ordinal, traffic);
            failures = 0;
            return { ...result, ...traffic, kind: transport.kind, retries: ordinal, fallback };
          } catch (error) {
            if (error instanceof TransportRefused) {
              if (leave(error)) continue;
              throw new CentspanError("upstream_failed", error.message, { cause: error });
            }
            // The try after it goes another way.
            if (isLost(error) && ++failures >= FAILURES_BEFORE_FALLBACK) leave(error);
            throw error;
          }
        }
      });
    },
    close: () => transport.close(),
  };
}

/** Broken on the way, as opposed to answered with an error. */
const isLost = (error: unknown): error is CentspanError =>
  error instanceof CentspanError && error.code === "upstream_failed";
