/**
 * What the coming days will cost, from days that are over: a coming week is like one of the past ones, day by day, so a
 * weekday is only ever compared with itself. Needs no model of trend or season that would have to be believed.
 * Floats, as for every statement about uncertainty: an expectation is no amount, and is never added to a ledger.
 */
import { createRandom, type Decimal, formatDecimal, sumDecimals, ZERO } from "@centspan/base";
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
  const totals = new Float64Array(options.resamples);
  for (const [day, costs] of draws.entries()) {
    for (const [draw, cost] of costs.entries()) {
      if (day === 0) costs[draw] = Math.max(cost, began);
      totals[draw] = (totals[draw] ?? 0) + (costs[draw] ?? 0);
    }
  }
  const expectedOf = (ahead: number): number =>
    Math.max(weightedMean(patterns, weights, ahead % pattern), ahead === 0 ? began : 0);
  const bound = (expected: number, values: Float64Array): Expected => {
    values.sort();
    const tail = (1 - options.level) / 2;
    // A day that is rare and dear lifts what is expected above what most futures cost: an interval holds what it is of.
    return {
      expectedUsd: toEstimate(expected),
      lowUsd: toEstimate(Math.min(expected, quantile(values, tail))),
      highUsd: toEstimate(Math.max(expected, quantile(values, 1 - tail))),
    };
  };
  const expected = draws.map((_, day) => expectedOf(day));
  const days = draws.map((costs, day) => bound(expected[day] ?? 0, costs));
  return {
    days,
    total: {
      ...bound(sum(expected), totals),
      // So that the days add up to it.
      expectedUsd: sumDecimals(days.map(({ expectedUsd }) => expectedUsd)),
    },
    level: options.level,
    method,
  };
}

/** Of each coming day, what it costs in each of the draws. */
function drawFutures(
  patterns: readonly number[][],
  weights: readonly number[],
  { daysAhead, seed, resamples }: ForecastOptions,
): Float64Array[] {
  const random = createRandom(seed);
  const pattern = patterns[0]?.length ?? 1;
  const means = Array.from({ length: pattern }, (_, day) => weightedMean(patterns, weights, day));
  const stretch = stretchOf(weights);
  const total = sum(weights);
  const futures = Array.from({ length: daysAhead }, () => new Float64Array(resamples));
  for (let draw = 0; draw < resamples; draw++) {
    const believed = patterns.map(() => pickWeighted(weights, random.next() * total));
    for (let start = 0; start < daysAhead; start += pattern) {
      const drawn = patterns[believed[random.integer(believed.length)] ?? 0] ?? [];
      for (const [day, costs] of futures.slice(start, start + pattern).entries()) {
        const mean = means[day] ?? 0;
        // No day costs less than nothing.
        costs[draw] = Math.max(0, mean + ((drawn[day] ?? 0) - mean) * stretch);
      }
    }
  }
  return futures;
}

/**
 * What is drawn lies nearer to the mean of few than the next one will: by √((n − 1)/(n + 1)), as in the prediction of one more
 * value of a normal distribution; n is what the weights leave of the weeks (Kish's effective sample size).
 */
function stretchOf(weights: readonly number[]): number {
  const count = sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2));
  return Math.sqrt((count + 1) / (count - 1));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Whose share of the weights, laid end to end, the point is in. */
function pickWeighted(weights: readonly number[], point: number): number {
  let left = point;
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return index === -1 ? weights.length - 1 : index;
}

function weightedMean(patterns: readonly number[][], weights: readonly number[], day: number): number {
  let cost = 0;
  let weight = 0;
  for (const [index, costs] of patterns.entries()) {
    cost += (costs[day] ?? 0) * (weights[index] ?? 0);
    weight += weights[index] ?? 0;
  }
  return cost / weight;
}
