import { createRandom } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { countBlocksNeeded, estimateEffect, type PairedBlock } from "./bootstrap.ts";

/** Blocks of a known truth: after costs `factor` times before, give or take what traffic does. */
function drawBlocks(seed: number, count: number, factor: number, noise = 0.1): PairedBlock[] {
  const random = createRandom(seed);
  const spread = (): number => (random.next() + random.next() + random.next() - 1.5) * noise;
  return Array.from({ length: count }, () => {
    const tokens = 1_000 * (0.5 + random.next());
    const load = 1 + spread();
    return {
      beforeCost: tokens * load,
      beforeTokens: tokens,
      afterCost: tokens * load * factor * (1 + spread()),
      afterTokens: tokens,
    };
  });
}

describe("the interval of an effect", () => {
  it.each([
    [8, 8],
    [24, 24],
    [24, 6],
  ])("of %i blocks covers what the next %i show about as often as it says", (blocks, futureBlocks) => {
    const trials = 400;
    let covered = 0;
    for (let seed = 0; seed < trials; seed += 1) {
      const effect = estimateEffect(drawBlocks(seed, blocks, 0.9), { level: 0.8, seed, futureBlocks, resamples: 200 });
      const realised = estimateEffect(drawBlocks(90_000 + seed, futureBlocks, 0.9), {
        level: 0.8,
        seed,
        resamples: 10,
      });
      if (effect && realised && effect.low <= realised.share && realised.share <= effect.high) covered += 1;
    }
    // Five standard errors of 400 trials are 10 points.
    expect(covered / trials).toBeGreaterThan(0.7);
    expect(covered / trials).toBeLessThan(0.9);
  });

  it("of the mean of all traffic is narrower than that of the next window", () => {
    const blocks = drawBlocks(1, 24, 0.9);
    const width = (futureBlocks?: number): number => {
      const effect = estimateEffect(blocks, { level: 0.8, seed: 1, ...(futureBlocks ? { futureBlocks } : {}) });
      return (effect?.high ?? 0) - (effect?.low ?? 0);
    };
    expect(width(Number.POSITIVE_INFINITY)).toBeLessThan(width());
    expect(width(3)).toBeGreaterThan(width());
  });

  it("is as wide as the model is wrong, where nothing else is", () => {
    const effect = estimateEffect(drawBlocks(4, 12, 0.8, 0), { level: 0.8, seed: 1, modelError: 0.05 });
    expect((effect?.high ?? 0) - (effect?.share ?? 0)).toBeCloseTo(1.2816 * 0.8 * 0.05, 9);
    expect((effect?.share ?? 0) - (effect?.low ?? 0)).toBeCloseTo(1.2816 * 0.8 * 0.05, 9);
  });

  it("is nothing where nothing varies, and the same for the same seed", () => {
    const exact = drawBlocks(4, 12, 0.8, 0);
    const effect = estimateEffect(exact, { level: 0.95, seed: 1 });
    expect(effect?.share).toBeCloseTo(-0.2, 12);
    expect((effect?.high ?? 1) - (effect?.low ?? 0)).toBeLessThan(1e-9);
    const noisy = drawBlocks(4, 12, 0.8);
    expect(estimateEffect(noisy, { level: 0.8, seed: 9 })).toEqual(estimateEffect(noisy, { level: 0.8, seed: 9 }));
  });

  it("is not given for one block, or for blocks without a token", () => {
    const one = { beforeCost: 1, beforeTokens: 1, afterCost: 1, afterTokens: 1 };
    expect(estimateEffect([one], { level: 0.8, seed: 1 })).toBeNull();
    expect(estimateEffect([one, { ...one, beforeTokens: 0 }], { level: 0.8, seed: 1 })).toBeNull();
    expect(estimateEffect([], { level: 0.8, seed: 1 })).toBeNull();
  });

  it("says how much more would tell, where there is something to tell", () => {
    const effect = { share: -0.02, low: -0.06, high: 0.02, level: 0.8 as const, blocks: 10 };
    expect(countBlocksNeeded(effect)).toBe(40);
    expect(countBlocksNeeded({ ...effect, share: 0.01 })).toBeNull();
  });
});
