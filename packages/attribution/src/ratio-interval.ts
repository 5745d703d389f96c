/**
 * Intervals for a ratio of sums. Floats are used on purpose and only here: bounds are statements about uncertainty,
 * rounded to 10 decimals, and never added to money. Same seed, same bounds.
 */
import { createRandom, type Decimal, formatDecimal, parseDecimal } from "@centspan/base";

type RatioBounds = { lowUsd: Decimal | null; highUsd: Decimal | null };

/**
 * Percentile bootstrap by task: resample tasks with replacement, take the ratio of sums of each resample, and the
 * nearest ranks of their distribution. A resample without any pass has an infinite ratio; a bound there is null.
 */
export function bootstrapRatio(
  tasks: readonly { costUsd: Decimal; passed: boolean }[],
  { level, seed, resamples }: { level: number; seed: number; resamples: number },
): RatioBounds {
  const costs = Float64Array.from(tasks, ({ costUsd }) => Number(formatDecimal(costUsd)));
  const passes = Uint8Array.from(tasks, ({ passed }) => (passed ? 1 : 0));
  const random = createRandom(seed);
  const ratios = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    let cost = 0;
    let passed = 0;
    for (let draw = 0; draw < costs.length; draw++) {
      // 32 bits are enough for the bias of this short cut to stay below one in a million for a thousand tasks.
      const index = Math.floor(random.next() * costs.length);
      cost += costs[index] ?? 0;
      passed += passes[index] ?? 0;
    }
    ratios[resample] = passed === 0 ? Number.POSITIVE_INFINITY : cost / passed;
  }
  ratios.sort();
  const tail = (1 - level) / 2;
  return { lowUsd: toBound(quantile(ratios, tail)), highUsd: toBound(quantile(ratios, 1 - tail)) };
}

/**
 * With 0 passes in n tries the pass rate is at most 1 − (1 − level)^(1/n) (the exact one-sided binomial bound), so a
 * pass costs at least the mean cost of a try divided by that.
 */
export function zeroPassBound(spendUsd: Decimal, tries: number, level: number): Decimal | null {
  const highestPassRate = 1 - (1 - level) ** (1 / tries);
  return toBound(Number(formatDecimal(spendUsd)) / tries / highestPassRate);
}

/** Nearest rank. The tolerance keeps a rank such as 0.025 × 2000 from being pushed up by its binary remainder. */
export function quantile(sorted: Float64Array, share: number): number {
  const rank = Math.ceil(share * sorted.length - 1e-9);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1] ?? Number.NaN;
}

/** A finite estimate as a decimal. */
export const toEstimate = (value: number): Decimal => parseDecimal(value.toFixed(10));

const toBound = (value: number): Decimal | null => (Number.isFinite(value) ? toEstimate(value) : null);
