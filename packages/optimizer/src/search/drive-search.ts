/**
 * A search whose questions somebody else answers, in threads as a rule: rounds one after another, until nothing is left to ask
 * or whoever watches says that time is over. Plain data goes to the threads.
 */
import type { Support } from "@centspan/serving";
import { evaluate } from "../evaluation/evaluate.ts";
import { type Limit, type Score, scoreOf } from "../evaluation/score.ts";
import type { KnobValue, Machines, Settings } from "../settings/knobs.ts";
import { createSpace, type Space, writePoint } from "../settings/space.ts";
import { cutWindow, type Traffic, type Window } from "../traffic/traffic.ts";
import type { Question, Search } from "./search.ts";

/** What a thread has to know to answer. Can be cloned. */
export type EvaluatorData = {
  present: Settings;
  values: Readonly<Record<string, readonly KnobValue[] | undefined>>;
  machines?: Machines;
  traffic: Traffic;
  /** The window to choose on, as shares of the traffic, and what only warms it up. */
  from: number;
  to: number;
  warmUp: number;
  limits: readonly Limit[];
  support?: Support | null;
  ignoreSupport?: boolean;
};

export const createSpaceOf = ({ present, values, machines }: EvaluatorData): Space =>
  createSpace(present, values, machines);

/** A question's window is the last part of the one to choose on. */
export function createEvaluator(data: EvaluatorData): (question: Question) => Score {
  const space = createSpaceOf(data);
  const windows = new Map<number, Window>();
  const windowOf = (share: number): Window => {
    const known = windows.get(share);
    if (known) return known;
    const { traffic, from, to, warmUp } = data;
    const window = cutWindow(traffic, to - share * (to - from), to, share * warmUp);
    windows.set(share, window);
    return window;
  };
  return ({ point, share }) =>
    scoreOf(evaluate(writePoint(space, point), windowOf(share), { ...data, blocks: 1 }), data.limits);
}

export type SearchProgress = ReturnType<Search["progress"]>;

/** `isOver` is asked between rounds; a rejection of `ask` with `interrupted` leaves the search as it is. */
export async function driveSearch(
  search: Search,
  ask: (questions: readonly Question[]) => Promise<readonly Score[]>,
  { isOver, onProgress }: { isOver?: () => boolean; onProgress?: (progress: SearchProgress) => void } = {},
): Promise<void> {
  for (let questions = search.next(); questions.length > 0; questions = search.next()) {
    onProgress?.(search.progress());
    if (isOver?.()) return;
    search.tell(await ask(questions));
  }
}
