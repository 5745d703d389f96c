/**
 * The verdict on chosen settings: on traffic later than what they were chosen on, against the present ones on the same
 * requests. Each change is measured on top of those before it. What can't be stood behind becomes a refusal with its reason,
 * and then nothing is recommended.
 */
import type { Support } from "@centspan/serving";
import { type Evaluation, evaluate, isServable, sumBlocks, type Unservable } from "../evaluation/evaluate.ts";
import { type Breach, findBreaches, type Limit, type Objective } from "../evaluation/score.ts";
import type { KnobId, KnobValue } from "../settings/knobs.ts";
import { listChanges, type Point, presentPoint, type Space, writePoint } from "../settings/space.ts";
import { countRequests, scaleTraffic, type Window } from "../traffic/traffic.ts";
import { type BestPossible, findBestPossible } from "./best-possible.ts";
import { type Effect, estimateEffect, type Level, type PairedBlock } from "./bootstrap.ts";
import { type OptimizerRefusal, refuse, refuseNoise } from "./refusals.ts";

export type JudgeOptions = {
  limits: readonly Limit[];
  objective: Objective;
  level: Level;
  seed: number;
  support?: Support | null;
  ignoreSupport?: boolean;
  /** As of an interval's: how far the model is from what was measured under the present settings. */
  modelError?: number;
  /** Blocks of each window. */
  blocks?: number;
  /** Times the traffic, for "what if". */
  factors?: readonly number[];
};

export type JudgedChange = { knob: KnobId; from: KnobValue; to: KnobValue; effect: Effect | null };

/** `effect` is null where the changed settings refuse; `breaches` are limits that they pass. */
export type WhatIf = { factor: number; effect: Effect | null; breaches: Breach[]; refused: string | null };

export type Side = Pick<Evaluation, "waits" | "accelerators" | "largestBatch"> & {
  hitRate: number;
  usedGpuS: number;
  paidGpuS: number;
};

export type Verdict = {
  state: "holds" | "refused";
  refusals: OptimizerRefusal[];
  changes: JudgedChange[];
  /** By the window it was chosen on, for the later one; and what the later one then showed. */
  predicted: Effect | null;
  judged: Effect | null;
  /** One point per block of the later window: the effect in it. */
  series: number[];
  before: Side | null;
  after: Side | null;
  best: { before: BestPossible; after: BestPossible } | null;
  whatIf: WhatIf[];
  requests: { chosenOn: number; judgedOn: number };
};

const BLOCKS = 24;
const FEWEST_JUDGED = 200;
const FACTORS = [0.5, 1.3, 2];

export type Windows = { chosenOn: Window; judgedOn: Window };

/** `point`: what the search chose. */
export function judge(space: Space, point: Point, { chosenOn, judgedOn }: Windows, options: JudgeOptions): Verdict {
  const { blocks = BLOCKS } = options;
  const largestKnown = options.ignoreSupport ? undefined : options.support?.sequences[1];
  const on = (at: Point, window: Window): Evaluation | Unservable =>
    evaluate(writePoint(space, at), window, { ...options, blocks });
  const present = presentPoint(space);
  const [before, after] = [on(present, judgedOn), on(point, judgedOn)];
  const requests = { chosenOn: countOf(chosenOn), judgedOn: countOf(judgedOn) };
  const changes = listChanges(space, present, point);
  const refused = (...refusals: OptimizerRefusal[]): Verdict => ({
    ...NOTHING,
    refusals,
    requests,
    changes: changes.map((change) => ({ ...change, effect: null })),
    before: isServable(before) ? toSide(before) : null,
    after: isServable(after) ? toSide(after) : null,
  });
  if (Math.min(requests.chosenOn, requests.judgedOn) < FEWEST_JUDGED)
    return refused(
      refuse("traffic_too_short", `${requests.chosenOn} requests to choose on and ${requests.judgedOn} to judge`),
    );
  if (changes.length === 0) return refused(refuse("nothing_better", "no other settings of the space cost less"));
  if (!isServable(before)) return refused(refuse("present_unservable", before.unservable));
  if (!isServable(after)) return refused(refuse("outside_support", after.unservable));
  const between = (a: Evaluation | Unservable, b: Evaluation | Unservable, seed: number): Effect | null =>
    isServable(a) && isServable(b) ? estimateEffect(pairBlocks(a, b, options.objective), { ...options, seed }) : null;
  const judged = between(before, after, options.seed);
  const predicted = between(on(present, chosenOn), on(point, chosenOn), options.seed + 1);
  const refusals = findRefusals({ before, after, judged, predicted }, options);
  return {
    state: refusals.length === 0 ? "holds" : "refused",
    refusals,
    changes: judgeChanges(
      space,
      point,
      (at) => on(at, judgedOn),
      (a, b) => between(a, b, options.seed),
    ),
    predicted,
    judged,
    series: pairBlocks(before, after, options.objective).map(effectOfBlock),
    before: toSide(before),
    after: toSide(after),
    best: {
      before: findBestPossible(space.present, judgedOn, largestKnown),
      after: findBestPossible(writePoint(space, point), judgedOn, largestKnown),
    },
    whatIf: (options.factors ?? FACTORS).map((factor) => {
      const scaled = { ...judgedOn, traffic: scaleTraffic(judgedOn.traffic, factor) };
      return askWhatIf(factor, [on(present, scaled), on(point, scaled)], options);
    }),
    requests,
  };
}

const NOTHING: Omit<Verdict, "refusals" | "changes" | "requests"> = {
  state: "refused",
  predicted: null,
  judged: null,
  series: [],
  before: null,
  after: null,
  best: null,
  whatIf: [],
};

const countOf = ({ traffic, uncounted }: Window): number => countRequests(traffic) - uncounted;

function toSide(evaluation: Evaluation): Side {
  const { waits, accelerators, largestBatch, blocks, spanNs } = evaluation;
  const { hitTokens, promptTokens, usedNs } = sumBlocks(blocks);
  return {
    waits,
    accelerators,
    largestBatch,
    hitRate: promptTokens === 0 ? 0 : hitTokens / promptTokens,
    usedGpuS: usedNs / 1e9,
    paidGpuS: (accelerators * spanNs) / 1e9,
  };
}

type Judged = { before: Evaluation; after: Evaluation; judged: Effect | null; predicted: Effect | null };

function findRefusals(
  { before, after, judged, predicted }: Judged,
  { limits, ignoreSupport }: JudgeOptions,
): OptimizerRefusal[] {
  const refusals: OptimizerRefusal[] = [];
  if (!ignoreSupport) for (const { message } of after.beyondSupport) refusals.push(refuse("outside_support", message));
  if (after.thrashing)
    refusals.push(refuse("outside_support", "blocks run out under the proposed settings: work is done again"));
  for (const { limit, reachedMs } of findBreaches(after, limits)) {
    // What is over the limit already, and does not get worse, is no reason against the change.
    const isOld = findBreaches(before, [limit]).some((old) => old.reachedMs >= reachedMs);
    if (!isOld) refusals.push(refuse("over_limit", describeBreach({ limit, reachedMs })));
  }
  if (judged === null) refusals.push(refuse("traffic_too_short", "the later window holds too few blocks to compare"));
  else if (judged.share >= 0) refusals.push(refuse("does_not_hold", describeReversal(judged, predicted)));
  else if (judged.high >= 0) refusals.push(refuseNoise(judged));
  return refusals;
}

export const describeBreach = ({ limit, reachedMs }: Breach): string =>
  `${limit.percentile} of ${limit.metric} for ${limit.priority} requests is ${reachedMs.toFixed(1)} ms; the limit is ${limit.ms} ms`;

const describeReversal = (judged: Effect, predicted: Effect | null): string =>
  `predicted ${predicted === null ? "nothing" : `${(100 * predicted.share).toFixed(1)}%`}, on later traffic ${(100 * judged.share).toFixed(1)}%`;

export function pairBlocks(before: Evaluation, after: Evaluation, objective: Objective): PairedBlock[] {
  const costOf = ({ accelerators }: Evaluation, block: Evaluation["blocks"][number]): number =>
    objective === "used" ? block.usedNs : accelerators * block.spanNs;
  return before.blocks.flatMap((one, at): PairedBlock[] => {
    const other = after.blocks[at];
    if (other === undefined) return [];
    return [
      {
        beforeCost: costOf(before, one),
        beforeTokens: one.outputTokens,
        afterCost: costOf(after, other),
        afterTokens: other.outputTokens,
      },
    ];
  });
}

const effectOfBlock = ({ beforeCost, beforeTokens, afterCost, afterTokens }: PairedBlock): number =>
  afterCost / afterTokens / (beforeCost / beforeTokens) - 1;

type On = (point: Point) => Evaluation | Unservable;
type Between = (a: Evaluation | Unservable, b: Evaluation | Unservable) => Effect | null;

/** One change after another in the order of the space, each on top of those before. */
function judgeChanges(space: Space, point: Point, on: On, between: Between): JudgedChange[] {
  let reached = presentPoint(space);
  let reachedOn = on(reached);
  return listChanges(space, reached, point).map((change) => {
    const at = space.knobs.findIndex(({ id }) => id === change.knob);
    reached = reached.with(at, change.to);
    const nextOn = on(reached);
    const effect = between(reachedOn, nextOn);
    reachedOn = nextOn;
    return { ...change, effect };
  });
}

function askWhatIf(
  factor: number,
  [before, after]: readonly [Evaluation | Unservable, Evaluation | Unservable],
  { limits, objective, level, seed, ignoreSupport, modelError = 0 }: JudgeOptions,
): WhatIf {
  if (!isServable(after)) return { factor, effect: null, breaches: [], refused: after.unservable };
  const [beyond] = ignoreSupport ? [] : after.beyondSupport;
  if (beyond !== undefined) return { factor, effect: null, breaches: [], refused: beyond.message };
  const effect = isServable(before)
    ? estimateEffect(pairBlocks(before, after, objective), { level, seed, modelError })
    : null;
  return { factor, effect, breaches: findBreaches(after, limits), refused: null };
}
