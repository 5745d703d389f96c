/**
 * Two cohorts side by side: whether one's passes are cheaper, or more frequent, than can be chance. Pure; the same seed gives
 * the same verdict. Nothing is claimed that the interval of the difference does not show: what is pending may pass or fail in it,
 * and what has no price may cost any amount.
 */
import { type Decimal, ZERO } from "@centspan/base";
import type { TaskSlice } from "@centspan/model";
import {
  type CostPerOutcomeOptions,
  costPerOutcome,
  countUntilJudged,
  type OutcomeCost,
  toSums,
} from "./cost-per-outcome.ts";
import {
  describeSums,
  normalQuantile,
  type Range,
  shareInterval,
  subtractRanges,
  toBound,
  toEstimate,
} from "./ratio-interval.ts";

export type CohortVerdict = "b_lower" | "b_higher" | "not_shown" | "no_data";
/** B minus A; a side without a bound is null. */
export type Difference = { value: Decimal; low: Decimal | null; high: Decimal | null; level: number };

export type CohortComparison = {
  a: OutcomeCost;
  b: OutcomeCost;
  costPerPass: Difference | null;
  passRate: Difference | null;
  reverted: Difference | null;
  verdict: CohortVerdict;
  passRateVerdict: CohortVerdict;
  /** Over both: to claim anything; then, at their present proportion, to show a difference in cost of this size four times in five. */
  moreTasks: number | null;
};

const POWER = 0.8;

export function compareCohorts(
  spendA: readonly TaskSlice[],
  spendB: readonly TaskSlice[],
  options: CostPerOutcomeOptions,
): CohortComparison {
  const [a, b] = [costPerOutcome(spendA, options).total, costPerOutcome(spendB, options).total];
  const { missing, verdict, costPerPass } = compareCosts(a, b, options.level);
  const passRate = compareShares([a.passed, countDecided(a)], [b.passed, countDecided(b)], options.level);
  const everPassed = (row: OutcomeCost): number => row.passed + row.reverted;
  return {
    a,
    b,
    costPerPass,
    passRate,
    reverted: compareShares([a.reverted, everPassed(a)], [b.reverted, everPassed(b)], options.level),
    verdict,
    passRateVerdict: passRate === null ? "no_data" : judge(passRate),
    moreTasks: missing || (costPerPass && countMissing([a, spendA], [b, spendB], verdict, options)),
  };
}

const NO_DATA: CohortVerdict = "no_data";

/** `missing`: tasks over both that anything could be claimed of. */
function compareCosts(a: OutcomeCost, b: OutcomeCost, level: number) {
  const missing = countUntilJudged(a.passed, countDecided(a)) + countUntilJudged(b.passed, countDecided(b));
  const isJudged = missing === 0 && a.interval !== null && b.interval !== null;
  const { low } = subtractRanges(rangeIf("failed", a), rangeIf("passed", b));
  const { high } = subtractRanges(rangeIf("passed", a), rangeIf("failed", b));
  const ends = { low: toBound(low), high: toBound(high), level };
  const costPerPass: Difference | null =
    isJudged && a.costPerPassUsd !== null && b.costPerPassUsd !== null
      ? { value: b.costPerPassUsd.minus(a.costPerPassUsd), ...ends }
      : null;
  return { missing, costPerPass, verdict: isJudged ? judge(ends) : NO_DATA };
}

/**
 * `openAgainst`: the groups that it is not shown to cost less than, the cheapest first; without any it is certain. `against`: the
 * first of them, or else the next cheapest.
 */
export type Cheapest = { group: string; against: string; openAgainst: string[] };

/** The group whose passes cost least; one whose cost is not all known only where there is no other. Null of fewer than two groups. */
export function findCheapest(rows: readonly OutcomeCost[], level: number): Cheapest | null {
  const named = rows
    .filter(({ group }) => group !== "")
    .sort(
      (x, y) =>
        Number(isUnderstated(x)) - Number(isUnderstated(y)) || compareCostPerPass(x.costPerPassUsd, y.costPerPassUsd),
    );
  const [known, others] = [true, false].map((is) => named.filter((row) => (row.costPerPassUsd !== null) === is));
  const [least, next, ...rest] = [...(known ?? []), ...(others ?? [])];
  if (least === undefined || next === undefined || least.costPerPassUsd === null) return null;
  const open = [next, ...rest].filter((row) => compareCosts(least, row, level).verdict !== "b_higher");
  const openAgainst = open.map(({ group }) => group);
  return { group: least.group, against: openAgainst[0] ?? next.group, openAgainst };
}

/** What has none comes last. */
export const compareCostPerPass = (a: Decimal | null, b: Decimal | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : a.cmp(b);

export const countDecided = ({ passed, failed, unknown }: OutcomeCost): number => passed + failed + unknown;

function judge({ low, high }: Pick<Difference, "low" | "high">): CohortVerdict {
  if (high?.lt(ZERO)) return "b_lower";
  return low?.gt(ZERO) ? "b_higher" : "not_shown";
}

/** Whether something that was spent is in no amount. */
export const isUnderstated = ({ unpricedCalls, unpricedReviewMinutes }: OutcomeCost): boolean =>
  unpricedCalls > 0 || unpricedReviewMinutes.gt(ZERO);

/**
 * If all that is pending came out so. A cohort without a pass has a least cost, which may lie above all that the other one's can be;
 * a pending task may still be its first.
 */
function rangeIf(status: "passed" | "failed", row: OutcomeCost): Range {
  const { costPerPassUsd, pendingBounds, interval, passed, pending } = row;
  const value = (status === "passed" && pendingBounds?.allPassUsd) || costPerPassUsd;
  const lowUsd = passed === 0 && pending > 0 ? null : interval?.lowUsd;
  const highUsd = isUnderstated(row) ? null : interval?.highUsd;
  return {
    value: value && Number(value.toFixed()),
    low: Number(lowUsd?.toFixed() ?? Number.NEGATIVE_INFINITY),
    high: Number(highUsd?.toFixed() ?? Number.POSITIVE_INFINITY),
  };
}

const decidedOf = (spend: readonly TaskSlice[]): TaskSlice[] =>
  spend.filter(({ tasks, status }) => tasks > 0 && status !== null);

type Cohort = [OutcomeCost, readonly TaskSlice[]];

/** The deviation falls with the root of the number of tasks. Null where it isn't luck that hides a difference. */
function countMissing(
  [a, spendA]: Cohort,
  [b, spendB]: Cohort,
  verdict: CohortVerdict,
  options: CostPerOutcomeOptions,
): number | null {
  const [ofA, ofB] = [toSums(decidedOf(spendA), options), toSums(decidedOf(spendB), options)];
  const [ratioA, ratioB] = [describeSums(ofA), describeSums(ofB)];
  const difference = Math.abs(ratioB.value - ratioA.value);
  if (difference === 0 || isUnderstated(a) || isUnderstated(b)) return null;
  const reach = normalQuantile((1 + options.level) / 2) + normalQuantile(POWER);
  const times = ((reach * Math.hypot(ratioA.deviation, ratioB.deviation)) / difference) ** 2;
  const missing = Math.max(0, Math.ceil((times - 1) * (ofA.tasks + ofB.tasks)));
  return missing === 0 && verdict === "not_shown" ? null : missing;
}

export type Share = [hits: number, of: number];

/** Null where one is a share of nothing. */
export function compareShares([hitsA, ofA]: Share, [hitsB, ofB]: Share, level: number): Difference | null {
  if (ofA === 0 || ofB === 0) return null;
  const [a, b] = [hitsA / ofA, hitsB / ofB];
  const { low, high } = subtractRanges(
    { value: a, ...shareInterval(hitsA, ofA, level) },
    { value: b, ...shareInterval(hitsB, ofB, level) },
  );
  return { value: toEstimate(b - a), low: toEstimate(low), high: toEstimate(high), level };
}
