/**
 * What a passing outcome cost: all spend of a cohort's tasks ÷ its passing tasks, as a ratio of sums (DESIGN 4.4).
 * Point estimates are exact; interval bounds come from resampling tasks with the given seed, or of many tasks from sums, and are
 * rounded to 10 decimals. Nothing is said where there is nothing to say: null, not zero.
 */
import { countToDecimal, type Decimal, quantiseLine, ratio, sumDecimals, ZERO } from "@centspan/base";
import type { TaskSlice, TaskSpend } from "@centspan/model";
import { groupBy } from "./group-by.ts";
import {
  bootstrapRatio,
  estimateRatio,
  type RatioBounds,
  type RatioSums,
  sumParts,
  toFloat,
  zeroPassBound,
} from "./ratio-interval.ts";

export type CostPerOutcomeOptions = {
  /** Of the interval, such as 0.95. */
  level: number;
  seed: number;
  /** 0 where no intervals are asked for. */
  resamples: number;
  /** What an hour of a team's review costs. */
  hourlyUsd?: ReadonlyMap<string, Decimal>;
};

type OutcomeInterval = {
  lowUsd: Decimal | null;
  highUsd: Decimal | null;
  level: number;
  method: "bootstrap" | "linearised" | "zero_pass_bound";
};

/** A row of `/outcomes/cost` before formatting. */
export type OutcomeCost = {
  group: string;
  /** Of tasks, their review included. */
  spendUsd: Decimal;
  reviewUsd: Decimal;
  /** Of teams whose hour has no price: they are in no amount. */
  unpricedReviewMinutes: Decimal;
  /** Of tasks; they are in no amount either. */
  unpricedCalls: number;
  /** With the spend that belongs to no task. */
  allSpendUsd: Decimal;
  failedSpendUsd: Decimal;
  tasks: number;
  passed: number;
  /** Partial outcomes count here: they are not passes. */
  failed: number;
  /** Of the failed those that had passed before. */
  reverted: number;
  unknown: number;
  pending: number;
  costPerPassUsd: Decimal | null;
  interval: OutcomeInterval | null;
  pendingBounds: { allPassUsd: Decimal | null; allFailUsd: Decimal | null } | null;
  coverage: Decimal | null;
  simulatedShare: Decimal | null;
};

type CostPerOutcome = { rows: OutcomeCost[]; total: OutcomeCost };

/** `isSummed`: of so many tasks that they are not resampled, or not told apart. */
type Options = CostPerOutcomeOptions & { isSummed: boolean };

/** A task as a slice of its own, of which nothing is known by attempts. */
export const sliceTask = (task: TaskSpend): TaskSlice => ({
  ...task,
  tasks: task.task === "" ? 0 : 1,
  squaredUsd: task.costUsd.times(task.costUsd),
  attempts: [],
});

/** Spend of no task counts as one in each group, as the store counts it. */
const isLarge = (spend: readonly TaskSlice[]): boolean =>
  spend.reduce((sum, { tasks }) => sum + Math.max(1, tasks), 0) > MOST_RESAMPLED;

/** Whether these could be resampled, but are not told apart: whoever can should ask for them by themselves. */
export const lacksTasks = (spend: readonly TaskSlice[]): boolean =>
  !isLarge(spend) && spend.some(({ tasks }) => tasks > 1);

/** Rows in order of spend, largest first. `total` is over all groups, not over the rows' ratios. */
export function costPerOutcome(spend: readonly TaskSlice[], given: CostPerOutcomeOptions): CostPerOutcome {
  const options = { ...given, isSummed: isLarge(spend) || lacksTasks(spend) };
  const rows = [...groupBy(spend, ({ group }) => group)].map(([group, members]) => summarise(group, members, options));
  rows.sort((a, b) => b.spendUsd.cmp(a.spendUsd) || (a.group < b.group ? -1 : 1));
  return { rows, total: summarise("total", spend, options) };
}

/** Spend that belongs to no task has no part in the cost of an outcome; it lowers the coverage instead. */
function summarise(group: string, members: readonly TaskSlice[], options: Options): OutcomeCost {
  const [tasks, others] = [members.filter((one) => one.tasks > 0), members.filter((one) => one.tasks === 0)];
  const ofStatus = groupBy(tasks, ({ status }) => status);
  const of = (...statuses: TaskSlice["status"][]) => statuses.flatMap((status) => ofStatus.get(status) ?? []);
  const count = (...statuses: TaskSlice["status"][]): number => countTasks(of(...statuses));
  const passing = sumSpend(of("passed"), options);
  const failing = sumSpend(of("failed", "partial", "unknown"), options);
  const waiting = sumSpend(of(null), options);
  const reviewUsd = sumDecimals([passing, failing, waiting].map((part) => part.reviewUsd));
  const decidedUsd = passing.modelUsd.plus(failing.modelUsd);
  const taskUsd = decidedUsd.plus(waiting.modelUsd);
  const spendUsd = taskUsd.plus(reviewUsd);
  const allModelUsd = taskUsd.plus(sumDecimals(others.map(({ costUsd }) => costUsd)));
  // Spend without any known price is not zero: nothing is known about what a pass cost.
  const known = tasks.some(({ calls, unpricedCalls }) => calls > unpricedCalls);
  const [passed, pending] = [count("passed"), count(null)];
  // Most tasks have none of it, and there are tens of thousands.
  const simulated = members.map(({ simulatedUsd }) => simulatedUsd).filter((usd) => usd !== ZERO);
  return {
    group,
    spendUsd,
    reviewUsd,
    unpricedReviewMinutes: sumDecimals([passing, failing, waiting].map((part) => part.unpricedMinutes)),
    unpricedCalls: tasks.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0),
    allSpendUsd: allModelUsd.plus(reviewUsd),
    failedSpendUsd: failing.modelUsd.plus(failing.reviewUsd),
    tasks: countTasks(tasks),
    passed,
    failed: count("failed", "partial"),
    reverted: countTasks(of("failed").filter(({ isReverted }) => isReverted)),
    unknown: count("unknown"),
    pending,
    costPerPassUsd: known ? ratio(spendUsd, countToDecimal(passed)) : null,
    interval: known && options.resamples > 0 ? intervalOf(tasks, options) : null,
    pendingBounds:
      pending === 0 || !known
        ? null
        : {
            allPassUsd: ratio(spendUsd, countToDecimal(passed + pending)),
            allFailUsd: ratio(spendUsd, countToDecimal(passed)),
          },
    // Of what models were paid: nobody reviews what is not linked.
    coverage: ratio(decidedUsd, allModelUsd),
    simulatedShare: ratio(sumDecimals(simulated), allModelUsd),
  };
}

const countTasks = (slices: readonly TaskSlice[]): number => slices.reduce((sum, { tasks }) => sum + tasks, 0);

type Spend = { modelUsd: Decimal; reviewUsd: Decimal; unpricedMinutes: Decimal };

function sumSpend(slices: readonly TaskSlice[], { hourlyUsd = NO_RATES }: CostPerOutcomeOptions): Spend {
  const reviewed = slices.filter(({ reviewMinutes }) => reviewMinutes !== ZERO);
  const prices = reviewed.map((slice) => priceReview(slice, hourlyUsd));
  const ofEach = (amount: Decimal, { tasks }: TaskSlice): Decimal =>
    tasks === 1 ? amount : amount.times(countToDecimal(tasks));
  return {
    modelUsd: sumDecimals(slices.map(({ costUsd }) => costUsd)),
    reviewUsd: sumDecimals(reviewed.map((slice, at) => ofEach(prices[at] ?? ZERO, slice))),
    unpricedMinutes: sumDecimals(
      reviewed.flatMap((slice, at) => (prices[at] === null ? [ofEach(slice.reviewMinutes, slice)] : [])),
    ),
  };
}

const NO_RATES: ReadonlyMap<string, Decimal> = new Map();
const MINUTES = countToDecimal(60);

/** Null where minutes were spent and nobody said what they cost. */
export function priceReview(
  { team, reviewMinutes }: Pick<TaskSpend, "team" | "reviewMinutes">,
  hourlyUsd: ReadonlyMap<string, Decimal>,
): Decimal | null {
  if (reviewMinutes === ZERO || reviewMinutes.eq(ZERO)) return ZERO;
  const rate = hourlyUsd.get(team);
  return rate === undefined ? null : quantiseLine(reviewMinutes.times(rate).div(MINUTES));
}

/** Of more tasks, over all groups, resampling takes long, and the straight line says the same of all but the smallest groups. */
export const MOST_RESAMPLED = 2_000;

/** Of fewer, the tasks that happened to come say too little of how tasks differ. */
const LEAST_DECIDED = 10;
const LEAST_PASSED = 5;

/** More tasks with an outcome that anything can be claimed of; without a pass, of the least cost. */
export const countUntilJudged = (passed: number, decided: number): number =>
  Math.max(0, LEAST_DECIDED - decided, passed === 0 ? 0 : LEAST_PASSED - passed);

/** From the low end if all that is pending passes to the high end if it all fails. */
function intervalOf(tasks: readonly TaskSlice[], options: Options): OutcomeInterval | null {
  const { level, isSummed } = options;
  const decided = tasks.filter(({ status }) => status !== null);
  const passed = countTasks(decided.filter(hasPassed));
  if (passed === 0) return boundWithoutPass(decided, options);
  if (countUntilJudged(passed, countTasks(decided)) > 0) return null;
  const estimate = isSummed ? estimateBySums(tasks, options) : resample(tasks, options);
  const dearest = estimate(hasPassed);
  const { lowUsd } =
    decided.length === tasks.length ? dearest : estimate((one) => hasPassed(one) || one.status === null);
  return { lowUsd, highUsd: dearest.highUsd, level, method: isSummed ? "linearised" : "bootstrap" };
}

type IsPass = (slice: TaskSlice) => boolean;
const hasPassed: IsPass = ({ status }) => status === "passed";

function resample(tasks: readonly TaskSlice[], options: CostPerOutcomeOptions): (isPass: IsPass) => RatioBounds {
  // A fixed order, so that the seed alone decides the resamples.
  const inOrder = tasks.toSorted((a, b) => (a.task < b.task ? -1 : 1));
  const costsUsd = Float64Array.from(inOrder, (task) => toFloat(addReview(task, options).costUsd));
  return (isPass) =>
    bootstrapRatio({ costsUsd, passes: Uint8Array.from(inOrder, (task) => Number(isPass(task))) }, options);
}

const estimateBySums =
  (tasks: readonly TaskSlice[], options: CostPerOutcomeOptions) =>
  (isPass: IsPass): RatioBounds =>
    estimateRatio(toSums(tasks, options, isPass), options.level);

/** With what their review cost, of models and people, as far as it is known. */
export const toSums = (
  tasks: readonly TaskSlice[],
  options: CostPerOutcomeOptions,
  isPass: IsPass = hasPassed,
): RatioSums => sumParts(tasks.map((task) => ({ ...addReview(task, options), isPass: isPass(task) })));

/** Σ(c + r)² = Σc² + 2r·Σc + n·r², where each of n tasks has the same review. */
function addReview(slice: TaskSlice, { hourlyUsd = NO_RATES }: CostPerOutcomeOptions) {
  const { tasks, costUsd, squaredUsd } = slice;
  const reviewUsd = priceReview(slice, hourlyUsd) ?? ZERO;
  if (reviewUsd === ZERO) return { tasks, costUsd, squaredUsd };
  const allReviewUsd = reviewUsd.times(countToDecimal(tasks));
  return {
    tasks,
    costUsd: costUsd.plus(allReviewUsd),
    squaredUsd: squaredUsd.plus(reviewUsd.times(costUsd.plus(costUsd).plus(allReviewUsd))),
  };
}

/** Only tasks whose outcome is known are evidence that none passes. */
function boundWithoutPass(decided: readonly TaskSlice[], options: CostPerOutcomeOptions): OutcomeInterval | null {
  const tries = countTasks(decided);
  if (tries === 0) return null;
  const { level } = options;
  const spendUsd = sumDecimals(decided.map((task) => addReview(task, options).costUsd));
  return { lowUsd: zeroPassBound(spendUsd, tries, level), highUsd: null, level, method: "zero_pass_bound" };
}
