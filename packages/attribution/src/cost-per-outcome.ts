/**
 * What a passing outcome cost: all spend of a cohort's tasks ÷ its passing tasks, as a ratio of sums (DESIGN 4.4).
 * Point estimates are exact; interval bounds come from resampling tasks with the given seed and are rounded to 10
 * decimals. Nothing is said where there is nothing to say: null, not zero.
 */
import { countToDecimal, type Decimal, quantiseLine, ratio, sumDecimals, ZERO } from "@centspan/base";
import type { TaskSpend } from "@centspan/model";
import { groupBy } from "./group-by.ts";
import { bootstrapRatio, estimateRatio, type RatioSample, toFloat, zeroPassBound } from "./ratio-interval.ts";

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

/** `isLarge`: of so many tasks that they are not resampled. */
type Options = CostPerOutcomeOptions & { isLarge: boolean };

/** Rows in order of spend, largest first. `total` is over all groups, not over the rows' ratios. */
export function costPerOutcome(spend: readonly TaskSpend[], given: CostPerOutcomeOptions): CostPerOutcome {
  const options = { ...given, isLarge: spend.length > MOST_RESAMPLED };
  const rows = [...groupBy(spend, ({ group }) => group)].map(([group, members]) => summarise(group, members, options));
  rows.sort((a, b) => b.spendUsd.cmp(a.spendUsd) || (a.group < b.group ? -1 : 1));
  return { rows, total: summarise("total", spend, options) };
}

/** Spend that belongs to no task has no part in the cost of an outcome; it lowers the coverage instead. */
function summarise(group: string, members: readonly TaskSpend[], options: Options): OutcomeCost {
  const [tasks, others] = [members.filter(({ task }) => task !== ""), members.filter(({ task }) => task === "")];
  const ofStatus = groupBy(tasks, ({ status }) => status);
  const of = (...statuses: TaskSpend["status"][]) => statuses.flatMap((status) => ofStatus.get(status) ?? []);
  const count = (...statuses: TaskSpend["status"][]): number =>
    statuses.reduce((sum, status) => sum + (ofStatus.get(status)?.length ?? 0), 0);
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
    tasks: tasks.length,
    passed,
    failed: count("failed", "partial"),
    reverted: of("failed").filter(({ isReverted }) => isReverted).length,
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

type Spend = { modelUsd: Decimal; reviewUsd: Decimal; unpricedMinutes: Decimal };

function sumSpend(tasks: readonly TaskSpend[], { hourlyUsd = NO_RATES }: CostPerOutcomeOptions): Spend {
  const reviewed = tasks.filter(({ reviewMinutes }) => reviewMinutes !== ZERO);
  const prices = reviewed.map((task) => priceReview(task, hourlyUsd));
  return {
    modelUsd: sumDecimals(tasks.map(({ costUsd }) => costUsd)),
    reviewUsd: sumDecimals(prices.map((usd) => usd ?? ZERO)),
    unpricedMinutes: sumDecimals(
      reviewed.flatMap(({ reviewMinutes }, at) => (prices[at] === null ? [reviewMinutes] : [])),
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

/** Of models and people, as far as it is known. */
export function priceTask(task: TaskSpend, hourlyUsd: ReadonlyMap<string, Decimal> = NO_RATES): Decimal {
  const reviewUsd = priceReview(task, hourlyUsd) ?? ZERO;
  return reviewUsd === ZERO ? task.costUsd : task.costUsd.plus(reviewUsd);
}

/** Of more tasks, over all groups, resampling takes long, and the straight line says the same of all but the smallest groups. */
const MOST_RESAMPLED = 2_000;

/** Of fewer, the tasks that happened to come say too little of how tasks differ. */
const LEAST_DECIDED = 10;
const LEAST_PASSED = 5;

/** More tasks with an outcome that anything can be claimed of; without a pass, of the least cost. */
export const countUntilJudged = (passed: number, decided: number): number =>
  Math.max(0, LEAST_DECIDED - decided, passed === 0 ? 0 : LEAST_PASSED - passed);

/** From the low end if all that is pending passes to the high end if it all fails. */
function intervalOf(tasks: readonly TaskSpend[], options: Options): OutcomeInterval | null {
  const { level, isLarge } = options;
  const decided = tasks.filter(({ status }) => status !== null);
  const passed = decided.filter(({ status }) => status === "passed").length;
  if (passed === 0) return boundWithoutPass(decided, options);
  if (countUntilJudged(passed, decided.length) > 0) return null;
  // A fixed order, so that the seed alone decides the resamples.
  const sample = toSample(isLarge ? tasks : tasks.toSorted((a, b) => (a.task < b.task ? -1 : 1)), options);
  const estimate = (passes: Uint8Array) =>
    isLarge ? estimateRatio({ ...sample, passes }, level) : bootstrapRatio({ ...sample, passes }, options);
  const dearest = estimate(sample.passes);
  const { lowUsd } = decided.length === tasks.length ? dearest : estimate(sample.passesAtMost);
  return { lowUsd, highUsd: dearest.highUsd, level, method: isLarge ? "linearised" : "bootstrap" };
}

/** `passesAtMost`: if all that is pending passes. */
export const toSample = (
  tasks: readonly TaskSpend[],
  { hourlyUsd }: CostPerOutcomeOptions,
): RatioSample & { passesAtMost: Uint8Array } => ({
  costsUsd: Float64Array.from(tasks, (task) => toFloat(priceTask(task, hourlyUsd))),
  passes: Uint8Array.from(tasks, ({ status }) => Number(status === "passed")),
  passesAtMost: Uint8Array.from(tasks, ({ status }) => Number(status === "passed" || status === null)),
});

/** Only tasks whose outcome is known are evidence that none passes. */
function boundWithoutPass(decided: readonly TaskSpend[], options: CostPerOutcomeOptions): OutcomeInterval | null {
  if (decided.length === 0) return null;
  const { level, hourlyUsd } = options;
  const spendUsd = sumDecimals(decided.map((task) => priceTask(task, hourlyUsd)));
  return { lowUsd: zeroPassBound(spendUsd, decided.length, level), highUsd: null, level, method: "zero_pass_bound" };
}
