/**
 * What is known of waits, by class of thread: what it does now (answering, or waiting for a tool, a person, nobody knows
 * what) and how long it has kept one waiting lately. A class of few samples borrows from the state alone, that from all.
 */
import type { KvWait } from "@centspan/model";
import { createWaitHistogram, type WaitHistogram } from "./wait-histogram.ts";

export type ThreadState = "answering" | KvWait;
/** The thread's own recent waits in seconds, null before the first. */
export type RecentWait = number | null;

export type WaitModel = {
  add(state: ThreadState, recent: RecentWait, waitS: number): void;
  /** What the thread's blocks are worth after it has been in its state for so long. */
  index(state: ThreadState, recent: RecentWait, inStateS: number): number;
};

const STATES: readonly ThreadState[] = ["answering", "tool", "person", "unknown"];
const ENOUGH_SAMPLES = 100;
const INSTANT_S = 0.001;

/** How waits are told apart by what a thread did lately, and what a thread of one kind is worth. */
export type WaitRule = {
  /** Where classes of recent waits begin, beside "none yet". */
  recentEdgesS: readonly number[];
  worth(waits: WaitHistogram, waitedS: number): number;
};

/** One over the time until two in five are back. */
export const BY_RETURN_TIME: WaitRule = {
  recentEdgesS: [4, 12, 40, 120],
  worth: (waits, waitedS) => 1 / (waits.leftS(waitedS) + INSTANT_S),
};

/** The best rate of return over any horizon, with the classes of the study that proposed it. */
export const BY_BEST_RATE: WaitRule = {
  recentEdgesS: [12, 40],
  worth: (waits, waitedS) => waits.index(waitedS),
};

export function createWaitModel({ recentEdgesS, worth }: WaitRule = BY_RETURN_TIME): WaitModel {
  const recentClasses = recentEdgesS.length + 2;
  const classOf = (recent: RecentWait): number =>
    recent === null ? 0 : 1 + recentEdgesS.filter((edge) => recent >= edge).length;
  const all = createWaitHistogram();
  const byState = STATES.map(() => createWaitHistogram());
  const byClass = STATES.flatMap(() => Array.from({ length: recentClasses }, createWaitHistogram));
  const levels = (state: ThreadState, recent: RecentWait) => {
    const at = STATES.indexOf(state);
    return [byClass[at * recentClasses + classOf(recent)], byState[at], all];
  };
  return {
    add(state, recent, waitS) {
      for (const histogram of levels(state, recent)) histogram?.add(waitS);
    },
    index(state, recent, inStateS) {
      const chosen = levels(state, recent).find((histogram) => (histogram?.samples ?? 0) >= ENOUGH_SAMPLES);
      return worth(chosen ?? all, inStateS);
    },
  };
}
