/**
 * Days that cost far more or less than days of their name did before. Medians, because one wild day must neither hide the
 * next nor make an ordinary one look wild. Floats: a judgement, not an amount.
 */
import { type Decimal, formatDecimal } from "@centspan/base";
import { toEstimate } from "../ratio-interval.ts";

export type SpendAnomaly = {
  /** Position among the days given. */
  index: number;
  costUsd: Decimal;
  /** Median of the same weekday in up to eight weeks before. */
  expectedUsd: Decimal;
  /** Distance in robust standard deviations, negative where the day cost less; null where days never differed before. */
  score: number | null;
};

const WEEK = 7;
const MOST_WEEKS = 8;
/** Days of the same name before a day can be judged. */
const LEAST_WEEKS = 3;
/** Normal days are this far off once in 16,000. */
const SCORE = 4;
/** A tenth of a mean day more or less is news to nobody, however even the days before were. */
const LEAST_SPREAD = 0.1 / SCORE;
/** Of a normal distribution: its standard deviation over its median absolute deviation (Rousseeuw and Croux, 1993). */
const DEVIATION_OF_MEDIAN = 1.4826;

/** `dailyUsd`: without gaps, the oldest first; the first three weeks are only what later days are compared with. */
export function findAnomalies(dailyUsd: readonly Decimal[]): SpendAnomaly[] {
  const costs = dailyUsd.map((costUsd) => Number(formatDecimal(costUsd)));
  const found: SpendAnomaly[] = [];
  for (const [index, costUsd] of dailyUsd.entries()) {
    const own = weekdayBefore(costs, index);
    if (own.length < LEAST_WEEKS) continue;
    const median = medianOf(own);
    const distance = Number(formatDecimal(costUsd)) - median;
    const spread = Math.max(spreadBefore(costs, index) * median, LEAST_SPREAD * meanBefore(costs, index));
    if (distance === 0 || Math.abs(distance) < SCORE * spread) continue;
    found.push({ index, costUsd, expectedUsd: toEstimate(median), score: spread === 0 ? null : distance / spread });
  }
  return found;
}

/**
 * How far a day lies from the median of the others of its name, as a share of it: over all names, because of one alone too
 * few are known, and without the day itself, which would make it look nearer than a new one can be.
 */
function spreadBefore(costs: readonly number[], index: number): number {
  const shares: number[] = [];
  for (let name = index; name < index + WEEK; name++) {
    const values = weekdayBefore(costs, name);
    for (const [at, value] of values.entries()) {
      const median = medianOf(values.toSpliced(at, 1));
      if (median > 0) shares.push(Math.abs(value - median) / median);
    }
  }
  return DEVIATION_OF_MEDIAN * medianOf(shares);
}

function meanBefore(costs: readonly number[], index: number): number {
  const before = costs.slice(Math.max(0, index - WEEK * MOST_WEEKS), index);
  return before.reduce((sum, cost) => sum + cost, 0) / before.length;
}

function weekdayBefore(costs: readonly number[], index: number): number[] {
  const values: number[] = [];
  for (let day = index - WEEK; day >= 0 && values.length < MOST_WEEKS; day -= WEEK) values.push(costs[day] ?? 0);
  return values;
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}
