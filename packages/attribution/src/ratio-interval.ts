/**
 * Intervals for a ratio of sums. Floats are used on purpose and only here: bounds are statements about uncertainty,
 * rounded to 10 decimals, and never added to money. Same seed, same bounds.
 */
import { countToDecimal, createRandom, type Decimal, parseDecimal, sumDecimals } from "@centspan/base";

export type RatioBounds = { lowUsd: Decimal | null; highUsd: Decimal | null };
/** What each task cost, and whether it passed (1) or not (0). */
export type RatioSample = { costsUsd: Float64Array; passes: Uint8Array };

/** Of fewer, percentiles of resampled ratios are too low and too near: they miss in 10 to 14% where 5% are meant. */
const FEW_TASKS = 100;

/**
 * Bootstrap by task: tasks are resampled with replacement, and bounds are the nearest ranks of the resamples' ratios of sums. Of few
 * tasks they are taken from how many of its own deviations each resample's ratio lies from the ratio, as logarithms (bootstrap-t;
 * Efron and Tibshirani, "An Introduction to the Bootstrap", 12.5): so the interval leans as costs do. That one is widened by as
 * much as Student's t of so many tasks is wider than the normal. A bound that is nowhere is null.
 */
export function bootstrapRatio(
  sample: RatioSample,
  { level, seed, resamples }: { level: number; seed: number; resamples: number },
): RatioBounds {
  const ratio = describeRatio(sample);
  const { value, deviation } = ratio;
  if (!(deviation > 0)) return { lowUsd: toBound(value), highUsd: toBound(value) };
  const { length } = sample.costsUsd;
  const tail = (1 - level) / 2;
  if (length >= FEW_TASKS) {
    const ratios = resample(sample, seed, resamples, ({ cost, passed }) =>
      passed === 0 ? Number.POSITIVE_INFINITY : cost / passed,
    );
    return { lowUsd: toBound(quantile(ratios, tail)), highUsd: toBound(quantile(ratios, 1 - tail)) };
  }
  const distances = resample(sample, seed, resamples, (sums) => distanceOf(sums, ratio));
  const reach = (widenFew(level, length) * deviation) / value;
  const boundAt = (share: number) => toBound(value * Math.exp(-quantile(distances, share) * reach));
  return { lowUsd: boundAt(1 - tail), highUsd: boundAt(tail) };
}

/** What is asked of each resample, in order. */
function resample(
  { costsUsd, passes }: RatioSample,
  seed: number,
  resamples: number,
  ask: (sums: Sums) => number,
): Float64Array {
  const random = createRandom(seed);
  const answers = new Float64Array(resamples);
  for (let one = 0; one < resamples; one++) {
    let [cost, passed, squares, passedCost] = [0, 0, 0, 0];
    for (let draw = 0; draw < costsUsd.length; draw++) {
      // 32 bits are enough for the bias of this short cut to stay below one in a million for a thousand tasks.
      const index = Math.floor(random.next() * costsUsd.length);
      const own = costsUsd[index] ?? 0;
      const pass = passes[index] ?? 0;
      cost += own;
      passed += pass;
      squares += own * own;
      passedCost += own * pass;
    }
    answers[one] = ask({ cost, passed, squares, passedCost, tasks: costsUsd.length });
  }
  return answers.sort();
}

type Ratio = { value: number; deviation: number };
type Sums = { cost: number; passed: number; squares: number; passedCost: number; tasks: number };

/**
 * How many of its deviations the ratio lies above that of the sample, as logarithms. What of nothing, or without a pass, is beyond all.
 * A resample that leaves out what differs has next to no deviation of its own: it has half of the sample's at least.
 */
function distanceOf({ cost, passed, squares, passedCost, tasks }: Sums, sample: Ratio): number {
  if (passed === 0) return Number.POSITIVE_INFINITY;
  if (cost === 0) return Number.NEGATIVE_INFINITY;
  const value = cost / passed;
  const own = deviate(squares - 2 * value * passedCost + value * value * passed, passed, tasks) / value;
  return Math.log(value / sample.value) / Math.max(own, sample.deviation / sample.value / 2);
}

/** s² = n/(n−1) · Σ(cost − R·pass)² / passes² (Cochran, "Sampling Techniques", 6.4). */
const deviate = (squares: number, passed: number, tasks: number): number =>
  Math.sqrt((Math.max(0, squares) * tasks) / (tasks - 1)) / passed;

/** Student's quantile as a multiple of the normal one (Abramowitz and Stegun, 26.7.5, of which the first two terms suffice from ten on). */
function widenFew(level: number, tasks: number): number {
  const square = normalQuantile((1 + level) / 2) ** 2;
  const freedom = tasks - 1;
  return 1 + (square + 1) / (4 * freedom) + (5 * square ** 2 + 16 * square + 3) / (96 * freedom ** 2);
}

/** Of tasks: how many, how many passed, what all cost, what those that passed cost, and the squares of what each cost. */
export type RatioSums = {
  tasks: number;
  passed: number;
  costUsd: Decimal;
  passedUsd: Decimal;
  squaredUsd: Decimal;
};

/** Tasks that all passed, or none of them. */
type RatioPart = Pick<RatioSums, "tasks" | "costUsd" | "squaredUsd"> & { isPass: boolean };

export function sumParts(parts: readonly RatioPart[]): RatioSums {
  const passing = parts.filter(({ isPass }) => isPass);
  const count = (of: readonly RatioPart[]): number => of.reduce((sum, { tasks }) => sum + tasks, 0);
  return {
    tasks: count(parts),
    passed: count(passing),
    costUsd: sumDecimals(parts.map(({ costUsd }) => costUsd)),
    passedUsd: sumDecimals(passing.map(({ costUsd }) => costUsd)),
    squaredUsd: sumDecimals(parts.map(({ squaredUsd }) => squaredUsd)),
  };
}

/**
 * The same by a straight line, for many tasks: that of passes for each dollar, which few passes don't bend. Where it reaches zero,
 * there is no upper bound.
 */
export function estimateRatio(sums: RatioSums, level: number): RatioBounds {
  const { value, deviation } = describeSums(sums);
  const reach = normalQuantile((1 + level) / 2) * widenFew(level, sums.tasks);
  const half = (reach * deviation) / value;
  return { lowUsd: toBound(value / (1 + half)), highUsd: half < 1 ? toBound(value / (1 - half)) : null };
}

/**
 * Of tasks of which at least one passed. With R = C/p, Σ(cost − R·pass)² = Σcost² − 2R·Σcost·pass + R²·p = (p·Σcost² − 2·C·Σcost·pass + C²)/p
 * (Cochran, 6.4, multiplied out), which is exact before it is divided: nothing cancels that floats have already lost.
 */
export function describeSums({ tasks, passed, costUsd, passedUsd, squaredUsd }: RatioSums): Ratio {
  const product = costUsd.times(passedUsd);
  const squares = squaredUsd.times(countToDecimal(passed)).minus(product).minus(product).plus(costUsd.times(costUsd));
  return { value: toFloat(costUsd) / passed, deviation: deviate(toFloat(squares) / passed, passed, tasks) };
}

/** Of tasks of which at least one passed. */
function describeRatio({ costsUsd, passes }: RatioSample): Ratio {
  const passed = passes.reduce((sum, one) => sum + one, 0);
  const value = costsUsd.reduce((sum, cost) => sum + cost, 0) / passed;
  const squares = costsUsd.reduce((sum, cost, task) => sum + (cost - value * (passes[task] ?? 0)) ** 2, 0);
  return { value, deviation: deviate(squares, passed, costsUsd.length) };
}

/** Of the digits themselves, as there are tens of thousands. */
export function toFloat({ c, e, s }: Decimal): number {
  const digits = c.reduce((whole, digit) => whole * 10 + digit, 0);
  return s * digits * 10 ** (e - c.length + 1);
}

/**
 * With 0 passes in n tries the pass rate is at most 1 − (1 − level)^(1/n) (the exact one-sided binomial bound), so a
 * pass costs at least the mean cost of a try divided by that.
 */
export function zeroPassBound(spendUsd: Decimal, tries: number, level: number): Decimal | null {
  const highestPassRate = 1 - (1 - level) ** (1 / tries);
  return toBound(toFloat(spendUsd) / tries / highestPassRate);
}

/** Nearest rank. The tolerance keeps a rank such as 0.025 × 2000 from being pushed up by its binary remainder. */
export function quantile(sorted: Float64Array, share: number): number {
  const rank = Math.ceil(share * sorted.length - 1e-9);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1] ?? Number.NaN;
}

/** Wilson's interval for a share (Wilson 1927), which holds for few and for extreme ones too. */
export function shareInterval(hits: number, of: number, level: number): { low: number; high: number } {
  const z = normalQuantile((1 + level) / 2);
  const share = hits / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  const scale = 1 + z ** 2 / of;
  return { low: hits === 0 ? 0 : (middle - half) / scale, high: hits === of ? 1 : (middle + half) / scale };
}

/** An estimate with the interval it lies in; null where only the interval's ends are known. */
export type Range = { value: number | null; low: number; high: number };

/**
 * The interval of B − A from those of A and B, which need not be symmetric (Zou and Donner 2008; for shares it is Newcombe's
 * 1998, method 10). Where there is no estimate, as far apart as the ends are.
 */
export function subtractRanges(a: Range, b: Range): { low: number; high: number } {
  if (a.value === null || b.value === null) return { low: b.low - a.high, high: b.high - a.low };
  const value = b.value - a.value;
  return {
    low: value - Math.hypot(b.value - b.low, a.high - a.value),
    high: value + Math.hypot(b.high - b.value, a.value - a.low),
  };
}

/** The standard normal distribution's, by bisection of its distribution function. */
export function normalQuantile(share: number): number {
  let [low, high] = [-9, 9];
  while (high - low > 1e-12) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Share below z: Φ(z) = ½ + φ(z)·(z + z³/3 + z⁵/15 + …), a series that converges for every z (Marsaglia 2004). */
function normalShare(z: number): number {
  let [sum, term] = [z, z];
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) {
    term *= z ** 2 / n;
    sum += term;
  }
  return 0.5 + (sum * Math.exp(-(z ** 2) / 2)) / Math.sqrt(2 * Math.PI);
}

/** A finite estimate as a decimal. */
export const toEstimate = (value: number): Decimal => parseDecimal(value.toFixed(10));

/** Null where there is none. */
export const toBound = (value: number): Decimal | null => (Number.isFinite(value) ? toEstimate(value) : null);
