/**
 * Reads an answer on the side while its bytes go to the client: what it says about the call goes into the facts.
 * Invariant: what `take` and `end` return, joined, is the answer; only a usage chunk nobody asked for is left out. Where the
 * client speaks another protocol, it is what the translator makes of the answer.
 */
import { CentspanError } from "@centspan/base";
import { type CallFacts, type InferenceProtocol, parseJson } from "../protocols/protocol.ts";
import type { AnswerTranslator } from "../translations/translation.ts";
import { createSseSplitter, type StreamPiece } from "./sse-splitter.ts";

export type AnswerReader = {
  /** Takes bytes as they come; returns those that go on to the client now. */
  take(chunk: Buffer): Buffer[];
  end(): Buffer[];
  /** Monotonic milliseconds of the first and latest event that carried output; null when none did. */
  outputTimes(): { firstMs: number; lastMs: number } | null;
  /** Of the output, as far as it came: events that carried some; of an answer in one piece, some bytes each. */
  countPieces(): number;
};

type ReaderOptions = {
  /** Of the answer. */
  protocol: InferenceProtocol;
  facts: CallFacts;
};
type StreamOptions = ReaderOptions & { hidesUsageChunk: boolean; translator: AnswerTranslator | null };

export function createStreamReader(options: StreamOptions): AnswerReader {
  const { protocol, facts, hidesUsageChunk, translator } = options;
  const splitter = createSseSplitter();
  let times: { firstMs: number; lastMs: number } | null = null;
  let outputEvents = 0;

  const read = (pieces: StreamPiece[]): Buffer[] =>
    pieces.flatMap(({ bytes, data }) => {
      if (data === null || data === "") return translator === null ? [bytes] : [];
      const { output, usageOnly } = protocol.readEvent(data, facts);
      if (output) {
        outputEvents += 1;
        const lastMs = performance.now();
        times = { firstMs: times?.firstMs ?? lastMs, lastMs };
      }
      if (translator !== null) return toBytes(translator.event(data));
      return usageOnly && hidesUsageChunk ? [] : [bytes];
    });
  // Only where something is left out or said otherwise does a part of an event wait for its rest.
  const waits = hidesUsageChunk || translator !== null;

  return {
    take(chunk) {
      const whole = read(splitter.push(chunk));
      return waits ? whole : [chunk];
    },
    end() {
      const whole = read(splitter.end());
      return waits ? [...whole, ...toBytes(translator?.end() ?? "")] : [];
    },
    outputTimes: () => times,
    countPieces: () => outputEvents,
  };
}

const toBytes = (text: string): Buffer[] => (text === "" ? [] : [Buffer.from(text)]);

const BYTES_A_PIECE = 16;
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** `rewrite`: what the client is told in its place, null for the same bytes. */
type WholeOptions = ReaderOptions & { rewrite: ((json: unknown) => unknown) | null };

/** An answer in one piece. One that is larger than anybody's answer is passed on unread, or refused where it must be read. */
export function createWholeReader({ protocol, facts, rewrite }: WholeOptions): AnswerReader {
  let chunks: Buffer[] | null = [];
  let total = 0;
  return {
    take(chunk) {
      total += chunk.length;
      if (total > MAX_READ_BYTES) chunks = null;
      chunks?.push(chunk);
      if (rewrite === null) return [chunk];
      if (chunks === null) throw new CentspanError("upstream_failed", "the model server's answer is too large");
      return [];
    },
    end() {
      if (chunks === null) return [];
      const json = parseJson(Buffer.concat(chunks).toString());
      protocol.readAnswer(json, facts);
      return rewrite === null ? [] : [Buffer.from(JSON.stringify(rewrite(json)))];
    },
    outputTimes: () => null,
    countPieces: () => Math.ceil(total / BYTES_A_PIECE),
  };
}
