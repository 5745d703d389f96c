/**
 * What is known of waits, by class of thread: what it does now (answering, or waiting for a tool, a person, nobody knows
 * what) and how long it has kept one waiting lately. A class of few samples borrows from the state alone, that from all.
 */
import type { KvWait } from "@centspan/model";
import { createWaitHistogram } from "./wait-histogram.ts";

export type ThreadState = "answering" | KvWait;
/** The thread's own recent waits in seconds, null before the first. */
export type RecentWait = number | null;

export type WaitModel = {
  add(state: ThreadState, recent: RecentWait, waitS: number): void;
  /** Returns per second that the thread's blocks are worth after it has been in its state for so long. */
  index(state: ThreadState, recent: RecentWait, inStateS: number): number;
};

const STATES: readonly ThreadState[] = ["answering", "tool", "person", "unknown"];
const RECENT_EDGES_S = [12, 40];
const RECENT_CLASSES = RECENT_EDGES_S.length + 2;
const ENOUGH_SAMPLES = 100;

const recentClass = (recent: RecentWait): number =>
  recent === null ? 0 : 1 + RECENT_EDGES_S.filter((edge) => recent >= edge).length;

export function createWaitModel(): WaitModel {
  const all = createWaitHistogram();
  const byState = STATES.map(() => createWaitHistogram());
  const byClass = STATES.flatMap(() => Array.from({ length: RECENT_CLASSES }, createWaitHistogram));
  const levels = (state: ThreadState, recent: RecentWait) => {
    const at = STATES.indexOf(state);
    return [byClass[at * RECENT_CLASSES + recentClass(recent)], byState[at], all];
  };
  return {
    add(state, recent, waitS) {
      for (const histogram of levels(state, recent)) histogram?.add(waitS);
    },
    index(state, recent, inStateS) {
      const chosen = levels(state, recent).find((histogram) => (histogram?.samples ?? 0) >= ENOUGH_SAMPLES);
      return (chosen ?? all).index(inStateS);
    },
  };
}
