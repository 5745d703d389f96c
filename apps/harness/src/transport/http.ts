/**
 * Turns over `POST /v1/responses`, each with its whole input: as an event stream, or with the answer in one piece where
 * streams are refused or get lost on the way.
 */
import type { Dispatcher, Pool } from "undici";
import { failureOfConnection, failureOfStatus } from "./http-failure.ts";
import { createStreamReader, readWholeTurn, type TurnResult } from "./read-turn.ts";
import { MAX_ANSWER_BYTES, PEER, type Traffic, type Transport, TransportRefused, tooLong } from "./turn.ts";

export type HttpOptions = { pool: Pool; path: string; key: string; kind: "sse" | "http" };

export function createHttpTransport({ pool, path, key, kind }: HttpOptions): Transport {
  const stream = kind === "sse";
  return {
    kind,
    async send({ prompt, headers, signal }, ordinal, traffic) {
      const body = `{${prompt.head},"stream":${stream},"input":[${prompt.items.join(",")}]}`;
      traffic.bytesSent += Buffer.byteLength(body);
      traffic.incremental = false;
      try {
        const answer = await pool.request({
          method: "POST",
          path,
          signal,
          headers: {
            ...headers,
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            accept: stream ? "text/event-stream" : "application/json",
            "x-centspan-retry": String(ordinal),
          },
          body,
        });
        if (answer.statusCode === 200) return await readAnswer(answer, traffic);
        throw await readFailure(answer, stream);
      } catch (error) {
        signal.throwIfAborted();
        throw failureOfConnection(PEER, error);
      }
    },
    close: () => undefined,
  };
}

async function readAnswer({ headers, body }: Dispatcher.ResponseData, traffic: Traffic): Promise<TurnResult> {
  traffic.replayed = headers["x-centspan-replayed"] !== undefined;
  const isStream = String(headers["content-type"] ?? "").startsWith("text/event-stream");
  const reader = createStreamReader();
  const whole: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part = Buffer.from(chunk);
    bytes += part.byteLength;
    traffic.bytesReceived += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw tooLong();
    if (isStream) reader.push(part);
    else whole.push(part);
  }
  return isStream ? reader.finish() : readWholeTurn(Buffer.concat(whole).toString("utf8"));
}

const MAX_ERROR_BYTES = 64 * 1024;

async function readFailure({ statusCode: status, headers, body }: Dispatcher.ResponseData, stream: boolean) {
  const text = await readStart(body);
  if (stream && (status === 400 || status === 406 || status === 422) && /\bstream/i.test(text)) {
    return new TransportRefused(`no event stream: ${PEER} answered ${status}`);
  }
  const retryAfter = headers["retry-after"];
  return failureOfStatus(PEER, {
    status,
    retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
    body: text,
  });
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
