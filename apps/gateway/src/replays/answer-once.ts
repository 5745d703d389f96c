/**
 * A request with an Idempotency-Key is answered by one call, however often it comes: its client says by the key that it
 * would ask again, so its answer is generated to the end even if the client has gone, and given again to whoever repeats
 * the request with the same key of ours and the same content. What was given again is no call: it has no span of one and
 * costs nothing.
 */
import { createHash } from "node:crypto";
import { CentspanError } from "@centspan/base";
import { setAttributes } from "@centspan/telemetry";
import type { Exchange } from "../exchange.ts";
import type { Held } from "../held.ts";
import { readWish } from "../identity.ts";
import type { ParsedBody } from "../stages/parse.ts";
import type { AnswerHead, AnswerSink } from "../transports/answer-sink.ts";
import { createDeparture } from "../transports/departure.ts";
import type { Answer, Replays } from "./replays.ts";

const HEADER = "idempotency-key";
const MAX_KEY_CHARACTERS = 255;
/** How long an answer may be generated for a client that has gone. */
const LONGEST_WITHOUT_CLIENT_MS = 300_000;

/** A longer answer is not kept: who repeats its request asks for a new one. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** `work` answers through the exchange that it is given; returns the bytes that were sent. */
export async function answerOnce(
  exchange: Exchange,
  asked: { keyId: string; body: Held<ParsedBody> },
  replays: Replays,
  work: (exchange: Exchange) => Promise<number>,
): Promise<number> {
  const key = readWish(exchange.headers, HEADER);
  if (key === null) return work(exchange);
  if (key.length > MAX_KEY_CHARACTERS) {
    const message = `${HEADER}: has more than ${MAX_KEY_CHARACTERS} characters`;
    throw new CentspanError("invalid_request", message, { field: HEADER });
  }
  const id = JSON.stringify([asked.keyId, exchange.protocol.route, key]);
  const content = describeContent(asked.body);
  for (let known = replays.find(id, content); known !== null; known = replays.find(id, content)) {
    const answer = await known;
    if (answer !== null) return giveAgain(exchange, answer);
  }
  const settle = replays.begin(id, content);
  const recorder = createRecorder(exchange);
  let isWhole = false;
  const onAnswered = (): void => {
    isWhole = true;
  };
  try {
    return await work({ ...exchange, sink: recorder.sink, onAnswered });
  } finally {
    settle(isWhole ? recorder.answer() : null);
    recorder.close();
  }
}

/** The same for the same request, whichever transport it came by: without what each message says of itself. */
function describeContent(body: Held<ParsedBody>): string {
  const members = Object.entries(Object(body.get().json)).filter(([name]) => name !== "client_metadata");
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(members)).digest("hex");
}

async function giveAgain({ sink, serverSpan }: Exchange, { head, parts }: Answer): Promise<number> {
  setAttributes(serverSpan, { "centspan.replayed": true });
  sink.begin({ ...head, headers: { ...head.headers, "x-centspan-replayed": "true" } });
  let sentBytes = 0;
  for (const part of parts) {
    if (sink.gone.happened) return sentBytes;
    sentBytes += part.length;
    await sink.write(part);
  }
  sink.end();
  return sentBytes;
}

/** A sink that keeps what goes through it, and whose client stays until the answer is whole, unless its key says otherwise. */
function createRecorder({ sink, rules }: Exchange): { sink: AnswerSink; answer(): Answer | null; close(): void } {
  let parts: Buffer[] | null = [];
  let partsBytes = 0;
  let head: AnswerHead | null = null;
  let patience: NodeJS.Timeout | undefined;
  const gone = createDeparture();
  const stopListening = sink.gone.listen(() => {
    if (rules.onDisconnect === "cancel") gone.tell();
    else patience = setTimeout(gone.tell, LONGEST_WITHOUT_CLIENT_MS);
  });
  return {
    answer: () => head && parts && { head, parts },
    close() {
      clearTimeout(patience);
      stopListening();
    },
    sink: {
      statusCode: () => sink.statusCode(),
      gone,
      begin(begun) {
        head = begun;
        sink.begin(begun);
      },
      async write(part) {
        partsBytes += part.length;
        if (partsBytes > MAX_KEPT_BYTES) parts = null;
        // Copied: a view would keep the whole chunk that it was read in.
        parts?.push(Buffer.from(part));
        if (!sink.gone.happened) await sink.write(part);
      },
      end() {
        if (!sink.gone.happened) sink.end();
      },
      fail: (error) => sink.fail(error),
    },
  };
}
