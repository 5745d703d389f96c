/**
 * Answers by the Idempotency-Key they were asked for with, in memory: those that were given, and those under way.
 * Bounded by bytes and age, the oldest forgotten first. A restart forgets them all: then a repeated request is a new call.
 */
import { CentspanError } from "@centspan/base";
import type { AnswerHead } from "../transports/answer-sink.ts";

export type Answer = { head: AnswerHead; parts: readonly Buffer[] };

export type Replays = {
  /** Null where nothing was asked by this id; resolves with null where it came to no whole answer. Throws for other content. */
  find(id: string, content: string): Promise<Answer | null> | null;
  /** To be told once, how it came out; null where there is nothing to give again. */
  begin(id: string, content: string): (answer: Answer | null) => void;
};

export type ReplaysOptions = {
  maxBytes?: number;
  /** Monotonic milliseconds. */
  nowMs?(): number;
};

const FORGET_MS = 24 * 3_600_000;
/** What an entry weighs beside its answer. */
const OVERHEAD_BYTES = 512;

type Entry = { content: string; answer: Promise<Answer | null>; bytes: number; atMs: number };

export function createReplays({ maxBytes = 256 * 1024 * 1024, ...options }: ReplaysOptions = {}): Replays {
  const nowMs = options.nowMs ?? (() => performance.now());
  /** In the order in which they were begun. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  const forget = (id: string, entry: Entry): void => {
    if (entries.get(id) !== entry) return;
    entries.delete(id);
    bytes -= entry.bytes;
  };
  const forgetOldest = (): void => {
    for (const [id, entry] of entries) {
      if (bytes <= maxBytes && nowMs() - entry.atMs <= FORGET_MS) return;
      forget(id, entry);
    }
  };

  return {
    find(id, content) {
      forgetOldest();
      const entry = entries.get(id);
      if (entry === undefined) return null;
      if (entry.content === content) return entry.answer;
      const field = "idempotency-key";
      throw new CentspanError("conflict", `${field}: was used for another request`, { field });
    },
    begin(id, content) {
      let tell: (answer: Answer | null) => void = () => undefined;
      const answer = new Promise<Answer | null>((resolve) => {
        tell = resolve;
      });
      const entry: Entry = { content, answer, bytes: OVERHEAD_BYTES, atMs: nowMs() };
      entries.set(id, entry);
      bytes += entry.bytes;
      return (given) => {
        if (given === null) forget(id, entry);
        else if (entries.get(id) === entry) {
          const added = given.parts.reduce((sum, part) => sum + part.length, 0);
          entry.bytes += added;
          bytes += added;
          forgetOldest();
        }
        tell(given);
      };
    },
  };
}
