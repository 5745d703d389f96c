/**
 * What the coming days will cost, from days that are over: a coming week is like one of the past ones, day by day, so a
 * weekday is only ever compared with itself. Needs no model of trend or season that would have to be believed.
 * Floats, as for every statement about uncertainty: an expectation is no amount, and is never added to a ledger.
 */
import { createRandom, type Decimal, formatDecimal, type Random, sumDecimals, ZERO } from "@centspan/base";
import { quantile, toEstimate } from "../ratio-interval.ts";

type Expected = { expectedUsd: Decimal; lowUsd: Decimal; highUsd: Decimal };

export type SpendForecast = {
  /** Of each coming day, the first one following the last that is over. */
  days: Expected[];
  /** Of all of them together: narrower than the sum of the days' bounds. */
  total: Expected;
  /** Of the intervals, such as 0.8. */
  level: number;
  /** `weeks`: weekday by weekday. `days`: too little is known for that, so that every day is like any other. */
  method: "weeks" | "days";
};

export type ForecastOptions = {
  daysAhead: number;
  level: number;
  seed: number;
  resamples: number;
  /** What the first of the coming days has cost so far: it will not have cost less. */
  beganUsd?: Decimal;
};

const WEEK = 7;
/** A week counts so much of the one after it: half of the weight lies on the last three. */
const WEIGHT_OF_WEEK_BEFORE = 0.8;
const MOST_WEEKS = 12;
const LEAST_WEEKS = 2;
const LEAST_DAYS = 3;

/**
 * `dailyUsd`: days that are over, without gaps, the oldest first. Null where they are fewer than three: that is no history.
 * The interval is a nested bootstrap over whole weeks (weeks are drawn, and the coming ones out of those), because days of
 * one week rise and fall together and because few weeks say little about the next.
 */
export function forecastSpend(dailyUsd: readonly Decimal[], options: ForecastOptions): SpendForecast | null {
  if (dailyUsd.length < LEAST_DAYS || options.daysAhead < 1) return null;
  const history = dailyUsd.map((costUsd) => Number(formatDecimal(costUsd)));
  const weeks = Math.min(MOST_WEEKS, Math.floor(history.length / WEEK));
  const method = weeks >= LEAST_WEEKS ? "weeks" : "days";
  const pattern = method === "weeks" ? WEEK : 1;
  // Patterns of days, the latest first: what one of them says of the coming day `ahead` is its day of the same name.
  const patterns = Array.from({ length: method === "weeks" ? weeks : history.length }, (_, back) =>
    history.slice(history.length - pattern * (back + 1), history.length - pattern * back),
  );
  const weights = patterns.map((_, back) => (method === "weeks" ? WEIGHT_OF_WEEK_BEFORE ** back : 1));

  const began = Number(formatDecimal(options.beganUsd ?? ZERO));
  const draws = drawFutures(patterns, weights, options);
  for (const future of draws) future[0] = Math.max(future[0] ?? 0, began);
  const expectedOf = (ahead: number): number =>
    Math.max(weightedMean(patterns, weights, ahead % pattern), ahead === 0 ? began : 0);
  const bound = (expected: number, values: Float64Array): Expected => {
    values.sort();
    const tail = (1 - options.level) / 2;
    return {
      expectedUsd: toEstimate(expected),
      lowUsd: toEstimate(quantile(values, tail)),
      highUsd: toEstimate(quantile(values, 1 - tail)),
    };
  };
  const ahead = Array.from({ length: options.daysAhead }, (_, day) => day);
  const totals = Float64Array.from(draws, (future) => future.reduce((sum, cost) => sum + cost, 0));
  const days = ahead.map((day) =>
    bound(
      expectedOf(day),
      Float64Array.from(draws, (future) => future[day] ?? 0),
    ),
  );
  return {
    days,
    total: {
      ...bound(0, totals),
      // So that the days add up to it.
      expectedUsd: sumDecimals(days.map(({ expectedUsd }) => expectedUsd)),
    },
    level: options.level,
    method,
  };
}

function drawFutures(
  patterns: readonly number[][],
  weights: readonly number[],
  { daysAhead, seed, resamples }: ForecastOptions,
): Float64Array[] {
  const random = createRandom(seed);
  const pattern = patterns[0]?.length ?? 1;
  const means = Array.from({ length: pattern }, (_, day) => weightedMean(patterns, weights, day));
  const stretch = stretchOf(weights);
  return Array.from({ length: resamples }, () => {
    const believed = patterns.map(() => drawWeighted(patterns, weights, random));
    const future = new Float64Array(daysAhead);
    for (let start = 0; start < daysAhead; start += pattern) {
      const drawn = believed[random.integer(believed.length)] ?? [];
      for (let day = start; day < Math.min(start + pattern, daysAhead); day++) {
        const mean = means[day - start] ?? 0;
        // No day costs less than nothing.
        future[day] = Math.max(0, mean + ((drawn[day - start] ?? 0) - mean) * stretch);
      }
    }
    return future;
  });
}

/**
 * What is drawn lies nearer to the mean of few than the next one will: by √((n − 1)/(n + 1)), as in the prediction of one more
 * value of a normal distribution; n is what the weights leave of the weeks (Kish's effective sample size).
 */
function stretchOf(weights: readonly number[]): number {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const count = sum ** 2 / weights.reduce((total, weight) => total + weight ** 2, 0);
  return Math.sqrt((count + 1) / (count - 1));
}

function drawWeighted<Item>(items: readonly Item[], weights: readonly number[], random: Random): Item {
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  const [item = items.at(-1)] = items.slice(index === -1 ? items.length - 1 : index);
  if (item === undefined) throw new RangeError("nothing to draw from");
  return item;
}

function weightedMean(patterns: readonly number[][], weights: readonly number[], day: number): number {
  let sum = 0;
  let weight = 0;
  for (const [index, costs] of patterns.entries()) {
    sum += (costs[day] ?? 0) * (weights[index] ?? 0);
    weight += weights[index] ?? 0;
  }
  return sum / weight;
}
