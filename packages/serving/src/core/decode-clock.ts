/**
 * Rounds of decoding. Every sequence that decodes gets a token each round, so nobody needs to be touched for it: a
 * sequence says at which round it finishes, fills a block that has a key, and runs out of blocks, and rounds are counted.
 * Invariant: `contextTokens` is the sum of what the decoding sequences know after the rounds so far.
 */
import { assert } from "@centspan/base";
import { countSharedBlocks } from "../kv-cache.ts";
import { countKnownTokens, type Sequence } from "./sequence.ts";

export type DecodeClock = {
  rounds(): number;
  /** Sequences that decode, and their contexts in tokens. */
  sequences(): number;
  contextTokens(): number;
  /** The first round after which a sequence finishes or has a block to share. */
  nextDue(): number;
  /** Whoever has just looked at all who decode says what `nextDue` is. */
  expect(due: number): void;
  /** The sequence decodes from the next round on. */
  join(sequence: Sequence): void;
  /** It no longer does; its counts are those of now. */
  leave(sequence: Sequence): void;
  /** Brings the counts of a sequence that decodes up to now. */
  settle(sequence: Sequence): void;
  /** Those that need a block before the round that comes next. To read. */
  growing(): readonly Sequence[];
  /** The sequence has a block more. */
  grew(sequence: Sequence): void;
  /** A round passes. */
  pass(): void;
};

export function createDecodeClock(blockTokens: number): DecodeClock {
  /** By the round, modulo a block's length, at which they run out of blocks: a block lasts so many rounds. */
  const growing: Sequence[][] = Array.from({ length: blockTokens }, () => []);
  const members = new Set<Sequence>();
  let rounds = 0;
  let contextTokens = 0;
  let nextDue = Number.POSITIVE_INFINITY;
  let isDueKnown = true;

  const bucketOf = (round: number): Sequence[] => growing[round % blockTokens] ?? [];

  const settle = (sequence: Sequence): void => {
    const passed = rounds - sequence.sinceRound;
    sequence.sinceRound = rounds;
    sequence.computedTokens += passed;
    sequence.generatedTokens += passed;
  };

  const findNextDue = (): number => {
    let due = Number.POSITIVE_INFINITY;
    for (const { finishRound, publishRound } of members) due = Math.min(due, finishRound, publishRound);
    return due;
  };

  return {
    rounds: () => rounds,
    sequences: () => members.size,
    contextTokens: () => contextTokens,
    nextDue() {
      if (!isDueKnown) nextDue = findNextDue();
      isDueKnown = true;
      return nextDue;
    },
    expect(due) {
      nextDue = due;
      isDueKnown = true;
    },
    join(sequence) {
      const { computedTokens, generatedTokens, heldTokens, lease, request } = sequence;
      assert(lease, "a sequence that decodes holds a lease");
      sequence.isDecoding = true;
      sequence.sinceRound = rounds;
      sequence.finishRound = rounds + sequence.outputTokens - generatedTokens;
      const shared = countSharedBlocks(lease);
      const publishes = shared < request.blockKeys.length;
      sequence.publishRound = publishes
        ? rounds + (shared + 1) * blockTokens - computedTokens
        : Number.POSITIVE_INFINITY;
      sequence.growRound = rounds + heldTokens - computedTokens + 1;
      const bucket = bucketOf(sequence.growRound);
      sequence.growIndex = bucket.length;
      bucket.push(sequence);
      members.add(sequence);
      contextTokens += countKnownTokens(sequence);
      nextDue = Math.min(nextDue, sequence.finishRound, sequence.publishRound);
    },
    leave(sequence) {
      settle(sequence);
      members.delete(sequence);
      contextTokens -= countKnownTokens(sequence);
      sequence.isDecoding = false;
      const bucket = bucketOf(sequence.growRound);
      const last = bucket.pop();
      if (last !== undefined && last !== sequence) {
        bucket[sequence.growIndex] = last;
        last.growIndex = sequence.growIndex;
      }
      if (Math.min(sequence.finishRound, sequence.publishRound) <= nextDue) isDueKnown = false;
    },
    settle,
    growing: () => bucketOf(rounds + 1),
    grew(sequence) {
      sequence.heldTokens += blockTokens;
      sequence.growRound += blockTokens;
    },
    pass() {
      rounds += 1;
      contextTokens += members.size;
    },
  };
}
