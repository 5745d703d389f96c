/**
 * The way to the gateway, shared by all runs of a process: connections for turns, one for each thread, and hints of what
 * the loop knows and the engine's cache can act on.
 */
import { Pool } from "undici";
import type { Mechanisms } from "../mechanisms.ts";
import { createConnection, type ModelConnection } from "./connection.ts";
import { createHttpTransport } from "./http.ts";
import type { RetryPolicy } from "./retry.ts";
import { SILENCE_LIMIT_MS } from "./turn.ts";
import { createWebSocketTransport } from "./web-socket.ts";

/** The main thread of a run has the run's own id. */
export type Hint =
  | { kind: "run_ended"; runId: string }
  | { kind: "subagent_returned"; runId: string; threadId: string }
  | { kind: "long_wait"; runId: string; threadId: string; expectedMs?: number };

export type ResponsesClient = {
  /** For the turns of one thread, paid by `key`. */
  open(key: string): ModelConnection;
  /** Sent at once; a hint that gets lost costs a cache hit at most, so nobody waits for it or hears of it. */
  hint(hint: Hint, key: string): void;
  /** After what is under way. */
  close(): Promise<void>;
};

export type ClientOptions = {
  gatewayUrl: string;
  connections: number;
  retry: RetryPolicy;
  mechanisms: Mechanisms;
};

const HINT_LIMIT_MS = 5_000;

export function createResponsesClient({ gatewayUrl, connections, retry, mechanisms }: ClientOptions): ResponsesClient {
  const base = new URL(gatewayUrl);
  const pathOf = (path: string): string => `${base.pathname.replace(/\/$/, "")}${path}`;
  const path = pathOf("/v1/responses");
  const pool = new Pool(base.origin, {
    connections,
    headersTimeout: SILENCE_LIMIT_MS,
    bodyTimeout: SILENCE_LIMIT_MS,
  });
  const hints = new Set<Promise<void>>();
  return {
    open(key) {
      const webSocket = createWebSocketTransport({
        url: new URL(path, base.origin),
        key,
        incremental: mechanisms.incremental,
      });
      const overHttp = [
        createHttpTransport({ pool, path, key, kind: "sse" }),
        createHttpTransport({ pool, path, key, kind: "http" }),
      ];
      return createConnection(mechanisms.webSocket ? [webSocket, ...overHttp] : overHttp, retry);
    },
    hint(hint, key) {
      if (!mechanisms.hints) return;
      const sent = sendHint(pool, pathOf("/v1/hints"), hint, key).finally(() => hints.delete(sent));
      hints.add(sent);
    },
    async close() {
      await Promise.all(hints);
      await pool.close();
    },
  };
}

async function sendHint(pool: Pool, path: string, hint: Hint, key: string): Promise<void> {
  try {
    const answer = await pool.request({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(hint),
      signal: AbortSignal.timeout(HINT_LIMIT_MS),
    });
    await answer.body.dump();
  } catch {
    // No reason to stop, or to tell anyone: the next turn says what is wrong with the gateway.
  }
}
