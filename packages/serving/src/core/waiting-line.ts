/**
 * Who waits for a place: first come, first served, and everyone who has a person waiting before all batch work.
 * Invariant: a preempted sequence is the next of its class.
 */
import { countKnownTokens, type Sequence } from "./sequence.ts";

export type WaitingLine = {
  length(): number;
  /** Tokens of those who wait, prompts and answers so far. */
  tokens(): number;
  add(sequence: Sequence): void;
  /** Back to the head of its class. */
  putBack(sequence: Sequence): void;
  /** The first that has arrived; null when none has. */
  first(nowNs: number): Sequence | null;
  /** Takes out what `first` gave. */
  take(sequence: Sequence): void;
  /** Whether it was there. */
  remove(sequence: Sequence): boolean;
  /** When the first of those who wait arrived or will arrive. */
  nextArrivalNs(): number | null;
};

type Lane = { items: Sequence[]; head: number };

/** Behind so many taken places a lane is cut. */
const SLACK = 1024;

export function createWaitingLine(): WaitingLine {
  const people: Lane = { items: [], head: 0 };
  const batch: Lane = { items: [], head: 0 };
  let tokens = 0;
  const laneOf = (sequence: Sequence): Lane => (sequence.isBatch ? batch : people);

  const take = (lane: Lane): void => {
    lane.head += 1;
    if (lane.head < SLACK || lane.head * 2 < lane.items.length) return;
    lane.items.splice(0, lane.head);
    lane.head = 0;
  };

  return {
    length: () => people.items.length - people.head + batch.items.length - batch.head,
    tokens: () => tokens,
    add(sequence) {
      tokens += countKnownTokens(sequence);
      laneOf(sequence).items.push(sequence);
    },
    putBack(sequence) {
      tokens += countKnownTokens(sequence);
      const lane = laneOf(sequence);
      if (lane.head === 0) lane.items.unshift(sequence);
      else {
        lane.head -= 1;
        lane.items[lane.head] = sequence;
      }
    },
    first(nowNs) {
      for (const lane of [people, batch]) {
        const head = lane.items[lane.head];
        if (head && head.request.arrivalNs <= nowNs) return head;
      }
      return null;
    },
    take(sequence) {
      tokens -= countKnownTokens(sequence);
      take(laneOf(sequence));
    },
    remove(sequence) {
      const lane = laneOf(sequence);
      const index = lane.items.indexOf(sequence, lane.head);
      if (index < 0) return false;
      lane.items.splice(index, 1);
      tokens -= countKnownTokens(sequence);
      return true;
    },
    nextArrivalNs() {
      const person = people.items[people.head]?.request.arrivalNs;
      const job = batch.items[batch.head]?.request.arrivalNs;
      if (person === undefined || job === undefined) return person ?? job ?? null;
      return Math.min(person, job);
    },
  };
}
