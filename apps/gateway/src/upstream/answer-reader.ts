/**
 * Reads an answer on the side while its bytes go to the client: what it says about the call goes into the facts.
 * Invariant: what `take` and `end` return, joined, is the answer; only a usage chunk nobody asked for is left out.
 */
import { type CallFacts, type InferenceProtocol, parseJson } from "../protocols/protocol.ts";
import { createSseSplitter, type StreamPiece } from "./sse-splitter.ts";

export type AnswerReader = {
  /** Takes bytes as they come; returns those that go on to the client now. */
  take(chunk: Buffer): Buffer[];
  end(): Buffer[];
  /** Monotonic milliseconds of the first and latest event that carried output; null when none did. */
  outputTimes(): { firstMs: number; lastMs: number } | null;
};

export type StreamReaderOptions = { protocol: InferenceProtocol; facts: CallFacts; hidesUsageChunk: boolean };

export function createStreamReader({ protocol, facts, hidesUsageChunk }: StreamReaderOptions): AnswerReader {
  const splitter = createSseSplitter();
  let times: { firstMs: number; lastMs: number } | null = null;

  const read = (pieces: StreamPiece[]): Buffer[] =>
    pieces
      .filter(({ data }) => {
        if (data === null || data === "") return true;
        const { output, usageOnly } = protocol.readEvent(data, facts);
        if (output) {
          const lastMs = performance.now();
          times = { firstMs: times?.firstMs ?? lastMs, lastMs };
        }
        return !(usageOnly && hidesUsageChunk);
      })
      .map((piece) => piece.bytes);

  return {
    // Only where a chunk may have to be left out does a part of an event wait for its rest.
    take(chunk) {
      const whole = read(splitter.push(chunk));
      return hidesUsageChunk ? whole : [chunk];
    },
    end() {
      const whole = read(splitter.end());
      return hidesUsageChunk ? whole : [];
    },
    outputTimes: () => times,
  };
}

const MAX_READ_BYTES = 64 * 1024 * 1024;

/** An answer in one piece. One that is larger than anybody's answer is passed on unread. */
export function createWholeReader(protocol: InferenceProtocol, facts: CallFacts): AnswerReader {
  let chunks: Buffer[] | null = [];
  let total = 0;
  return {
    take(chunk) {
      total += chunk.length;
      if (total > MAX_READ_BYTES) chunks = null;
      chunks?.push(chunk);
      return [chunk];
    },
    end() {
      if (chunks) protocol.readAnswer(parseJson(Buffer.concat(chunks).toString()), facts);
      return [];
    },
    outputTimes: () => null,
  };
}
