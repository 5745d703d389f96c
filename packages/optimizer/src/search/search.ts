/**
 * Successive halving over a space of settings: many points on a short window, the better part of them on one four times as
 * long, and so on to the whole; then the best is varied one setting at a time on the whole window until nothing is better.
 * Who calls evaluates: the search only says what it wants to know next, and may be left at any time with the best so far.
 * Short windows can't show what large caches are worth, since they end before those fill: so the last part is on the whole.
 * Invariant: the same space, seed and scores give the same questions and the same answer.
 */
import { assert } from "@centspan/base";
import { compareScores, type Objective, type Score } from "../evaluation/score.ts";
import type { KnobValue } from "../settings/knobs.ts";
import {
  drawPoints,
  keyOf,
  listChanges,
  neighboursOf,
  type Point,
  presentPoint,
  type Space,
} from "../settings/space.ts";

/** `share`: how much of the window to evaluate on, its last part; 1 is all of it. */
export type Question = { point: Point; share: number };
export type Answer = { question: Question; score: Score };

export type SearchOptions = {
  /** Points of the first round, the present settings among them. */
  candidates: number;
  seed: number;
  objective: Objective;
  /** Share of the window in the first round; each later one takes four times as much. */
  firstShare?: number;
};

export type Search = {
  /** What to evaluate next; empty when there is nothing left to ask. Asked again only when all were answered. */
  next(): readonly Question[];
  tell(scores: readonly Score[]): void;
  /** On the longest window so far. Null before the first answer. */
  best(): Answer | null;
  /** The present settings on that window. */
  present(): Answer | null;
  progress(): { round: string; points: number; evaluations: number };
};

/** Four times the window for a quarter of the points: each round costs about the same. */
const FACTOR = 4;
const FEWEST_FINALISTS = 4;
/** Of one knob at a time; each pass goes on from the best of the one before. */
const MOST_PASSES = 8;
/** A setting whose return costs less than this share is returned: nobody should change what changes nothing. */
const NOT_WORTH = 0.001;

type Rated = { point: Point; score: Score };

export function createSearch(space: Space, options: SearchOptions): Search {
  const compare = (a: Rated, b: Rated): number => compareScores(a.score, b.score, options.objective);
  const present = presentPoint(space);
  const seen = new Set<string>();
  /** On the whole window, by key. */
  const known = new Map<string, Rated>();
  let questions: readonly Question[] = [];
  let evaluations = 0;
  let round = "first";
  let last: { share: number; rated: Rated[] } | null = null;
  let pass = 0;

  const ask = (points: readonly Point[], share: number): readonly Question[] =>
    points.map((point) => ({ point, share }));
  const start = (): readonly Question[] => {
    const points = drawPoints(space, options.candidates, options.seed);
    const wanted = options.firstShare ?? FACTOR ** -3;
    // A small space is looked at whole.
    const isSmall = points.length <= FEWEST_FINALISTS * FACTOR;
    return ask(points, isSmall ? 1 : Math.min(1, wanted));
  };

  const halve = ({ share, rated }: { share: number; rated: Rated[] }): readonly Question[] => {
    const kept = Math.max(FEWEST_FINALISTS, Math.ceil(rated.length / FACTOR));
    const survivors = [...rated]
      .sort(compare)
      .slice(0, kept)
      .map(({ point }) => point);
    const withPresent = survivors.some((point) => keyOf(space, point) === keyOf(space, present))
      ? survivors
      : [...survivors, present];
    round = `halving, ${withPresent.length} points`;
    return ask(withPresent, Math.min(1, share * FACTOR));
  };

  const bestKnown = (): Rated | null =>
    [...known.values()].reduce<Rated | null>(
      (best, one) => (best === null || compare(one, best) < 0 ? one : best),
      null,
    );

  const polish = (): readonly Question[] => {
    const best = bestKnown();
    if (best === null || pass >= MOST_PASSES) return [];
    pass += 1;
    round = `varying the best, pass ${pass}`;
    const keys = new Set<string>();
    const points = neighboursOf(space, best.point).filter((point) => {
      const key = keyOf(space, point);
      if (known.has(key) || keys.has(key)) return false;
      keys.add(key);
      return true;
    });
    return ask(points, 1);
  };

  const next = (): readonly Question[] => {
    if (questions.length > 0) return questions;
    if (last === null) questions = start();
    else if (last.share < 1) questions = halve(last);
    else questions = polish();
    return questions;
  };

  const answerOf = (rated: Rated | null | undefined, share: number): Answer | null =>
    rated ? { question: { point: rated.point, share }, score: rated.score } : null;

  return {
    next,
    tell(scores) {
      assert(scores.length === questions.length && scores.length > 0, "a score for each question");
      const share = questions[0]?.share ?? 1;
      const rated = scores.flatMap((score, at): Rated[] => {
        const point = questions[at]?.point;
        return point === undefined ? [] : [{ point, score }];
      });
      for (const one of rated) {
        const key = keyOf(space, one.point);
        seen.add(key);
        if (share === 1) known.set(key, one);
      }
      evaluations += rated.length;
      last = { share, rated };
      questions = [];
    },
    best() {
      if (known.size > 0) return answerOf(simplify(space, known, bestKnown(), options.objective), 1);
      return answerOf(last && [...last.rated].sort(compare)[0], last?.share ?? 1);
    },
    present() {
      const key = keyOf(space, present);
      if (known.size > 0) return answerOf(known.get(key), 1);
      return answerOf(
        last?.rated.find(({ point }) => keyOf(space, point) === key),
        last?.share ?? 1,
      );
    },
    progress: () => ({ round, points: seen.size, evaluations }),
  };
}

/**
 * The best without the changes that bring nothing, and those that do no larger than they have to be, as far as that is known
 * from what was evaluated.
 */
function simplify(
  space: Space,
  known: ReadonlyMap<string, Rated>,
  best: Rated | null,
  objective: Objective,
): Rated | null {
  if (best === null) return null;
  const present = presentPoint(space);
  let simplest = best;
  for (const { knob, from, to } of listChanges(space, present, best.point)) {
    const at = space.knobs.findIndex(({ id }) => id === knob);
    const nearer = (space.knobs[at]?.values ?? [])
      .filter((value) => distance(value, from) < distance(to, from))
      .sort((a, b) => distance(a, from) - distance(b, from));
    for (const value of nearer) {
      const point = simplest.point.with(at, value);
      const one = known.get(keyOf(space, point));
      if (one === undefined || !isAsGood(one.score, best.score, objective)) continue;
      simplest = { ...one, point };
      break;
    }
  }
  return simplest;
}

/** Of counts by factors; other values are the same, or as far apart as can be. */
function distance(value: KnobValue, from: KnobValue): number {
  if (value === from) return 0;
  if (typeof value !== "number" || typeof from !== "number" || value <= 0 || from <= 0) return Number.POSITIVE_INFINITY;
  return Math.abs(Math.log(value / from));
}

function isAsGood(score: Score, best: Score, objective: Objective): boolean {
  if (score.refused !== best.refused || score.violation > best.violation) return false;
  const worse = (a: number, b: number): boolean => a > b * (1 + NOT_WORTH);
  if (objective === "paid" && worse(score.paidGpuS, best.paidGpuS)) return false;
  return !worse(score.usedGpuS, best.usedGpuS);
}

/** Asks and evaluates in one go, for small spaces and tests; whoever has threads asks by itself. */
export function runSearch(space: Space, options: SearchOptions, score: (question: Question) => Score): Search {
  const search = createSearch(space, options);
  for (let questions = search.next(); questions.length > 0; questions = search.next())
    search.tell(questions.map(score));
  return search;
}
