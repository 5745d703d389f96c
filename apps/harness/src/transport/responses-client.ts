/**
 * Sends turns to `POST {gateway}/v1/responses` and reads their streams, over connections that are kept for the next
 * turn. A turn that failed for a passing reason, or whose stream was cut, is sent again with the same content.
 */
import { Pool } from "undici";
import { failureOfConnection, failureOfStatus } from "./http-failure.ts";
import { createTurnReader, type TurnResult } from "./read-stream.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";

export type TurnRequest = { body: string; key: string; headers: Record<string, string>; signal: AbortSignal };
export type TurnAnswer = TurnResult & { bytesReceived: number; retries: number };

export type ResponsesClient = { send(request: TurnRequest): Promise<TurnAnswer>; close(): Promise<void> };

export type ClientOptions = { gatewayUrl: string; connections: number; retry: RetryPolicy };

/** Longest silence of the server that is not a failure: a long queue or a long prefill sends nothing. */
const SILENCE_LIMIT_MS = 300_000;
const MAX_ERROR_BYTES = 64 * 1024;
const PEER = "the gateway";

export function createResponsesClient(options: ClientOptions): ResponsesClient {
  const base = new URL(options.gatewayUrl);
  const path = `${base.pathname.replace(/\/$/, "")}/v1/responses`;
  const pool = new Pool(base.origin, {
    connections: options.connections,
    headersTimeout: SILENCE_LIMIT_MS,
    bodyTimeout: SILENCE_LIMIT_MS,
  });
  return {
    send: (request) =>
      withRetries(options.retry, request.signal, async (ordinal) => ({
        ...(await sendOnce(pool, path, request, ordinal)),
        retries: ordinal,
      })),
    close: () => pool.close(),
  };
}

async function sendOnce(pool: Pool, path: string, request: TurnRequest, ordinal: number) {
  try {
    const answer = await pool.request({
      method: "POST",
      path,
      signal: request.signal,
      headers: {
        ...request.headers,
        authorization: `Bearer ${request.key}`,
        "content-type": "application/json",
        accept: "text/event-stream",
        "x-centspan-retry": String(ordinal),
      },
      body: request.body,
    });
    if (answer.statusCode !== 200) {
      const body = await readStart(answer.body);
      const retryAfter = answer.headers["retry-after"];
      throw failureOfStatus(PEER, {
        status: answer.statusCode,
        retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
        body,
      });
    }
    return await readTurn(answer.body);
  } catch (error) {
    request.signal.throwIfAborted();
    throw failureOfConnection(PEER, error);
  }
}

async function readTurn(body: AsyncIterable<Buffer>): Promise<TurnResult & { bytesReceived: number }> {
  const reader = createTurnReader();
  let bytesReceived = 0;
  for await (const chunk of body) {
    bytesReceived += chunk.byteLength;
    reader.push(chunk);
  }
  return { ...reader.finish(), bytesReceived };
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes < MAX_ERROR_BYTES) chunks.push(chunk);
    bytes += chunk.byteLength;
  }
  return Buffer.concat(chunks).toString("utf8");
}
