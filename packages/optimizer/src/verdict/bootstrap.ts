/**
 * How far an effect may be trusted: the relative change of cost per token, with an interval from resampling blocks of
 * consecutive requests, each taken from both runs together (Künsch's block bootstrap, 1989, of paired blocks). Blocks are
 * long beside what a request leaves behind in caches and lines.
 * The interval is for what will be seen: two independent resamples, one for what was measured and one for the traffic to come.
 */
import { assert, createRandom } from "@centspan/base";

/** One block under both settings: cost and tokens of each. */
export type PairedBlock = { beforeCost: number; beforeTokens: number; afterCost: number; afterTokens: number };

export const LEVELS = [0.8, 0.9, 0.95] as const;
export type Level = (typeof LEVELS)[number];

/** Shares: −0.08 is 8% less. */
export type Effect = { share: number; low: number; high: number; level: Level; blocks: number };

export type BootstrapOptions = {
  level: Level;
  seed: number;
  resamples?: number;
  /** Blocks of the traffic to come; as many as there are unless said. Infinity asks for the mean of all traffic like this. */
  futureBlocks?: number;
  /**
   * How far the model is from what was measured under the present settings, as a share of it: it may be as far from what
   * others will take. 0 where both sides were measured.
   */
  modelError?: number;
};

/** Two-sided quantiles of the normal distribution. */
const NORMAL_QUANTILE: Record<Level, number> = { 0.8: 1.2816, 0.9: 1.6449, 0.95: 1.96 };
const RESAMPLES = 1_000;

/** Null where there is nothing to compare: fewer than two blocks, or no cost before. */
export function estimateEffect(blocks: readonly PairedBlock[], options: BootstrapOptions): Effect | null {
  const usable = blocks.filter(({ beforeTokens, afterTokens }) => beforeTokens > 0 && afterTokens > 0);
  const share = effectOf(usable);
  if (usable.length < 2 || share === null) return null;
  const { level, seed, resamples = RESAMPLES, futureBlocks = usable.length, modelError = 0 } = options;
  const random = createRandom(seed);
  const draw = (count: number): number => {
    const drawn = Array.from({ length: count }, () => usable[random.integer(usable.length)]);
    return effectOf(drawn.filter((one) => one !== undefined)) ?? share;
  };
  const deviations = Array.from({ length: resamples }, () => {
    const measured = draw(usable.length) - share;
    return futureBlocks === Number.POSITIVE_INFINITY ? measured : measured + (draw(futureBlocks) - share);
  }).sort((a, b) => a - b);
  const at = (quantile: number): number => deviations[Math.round(quantile * (resamples - 1))] ?? 0;
  const widen = smallSampleFactor(usable.length, level);
  const tail = (1 - level) / 2;
  const ofModel = NORMAL_QUANTILE[level] * (1 + share) * modelError;
  const [low, high] = [Math.hypot(widen * at(tail), ofModel), Math.hypot(widen * at(1 - tail), ofModel)];
  return { share, low: share - low, high: share + high, level, blocks: usable.length };
}

/** Ratio of sums, never a mean of ratios. */
function effectOf(blocks: readonly PairedBlock[]): number | null {
  let [beforeCost, beforeTokens, afterCost, afterTokens] = [0, 0, 0, 0];
  for (const block of blocks) {
    beforeCost += block.beforeCost;
    beforeTokens += block.beforeTokens;
    afterCost += block.afterCost;
    afterTokens += block.afterTokens;
  }
  if (beforeCost === 0 || afterTokens === 0) return null;
  return afterCost / afterTokens / (beforeCost / beforeTokens) - 1;
}

/**
 * A resample of n has (n − 1) ÷ n of the variance, and few blocks know their own spread badly: Student's quantile over the
 * normal one, to first order (Fisher and Cornish, 1960).
 */
function smallSampleFactor(blocks: number, level: Level): number {
  assert(blocks >= 2, "a spread needs two blocks");
  const z = NORMAL_QUANTILE[level];
  return Math.sqrt(blocks / (blocks - 1)) * (1 + (z * z + 1) / (4 * (blocks - 1)));
}

/** About how many blocks would show the effect, as its interval shrinks with their root; null where there is none. */
export function countBlocksNeeded({ share, low, high, blocks }: Effect): number | null {
  if (share >= 0) return null;
  const halfWidth = (high - low) / 2;
  return Math.max(blocks + 1, Math.ceil(blocks * (halfWidth / -share) ** 2));
}
