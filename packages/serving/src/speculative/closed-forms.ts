/**
 * What speculative decoding is worth, in closed form. Sources: Leviathan, Kalman and Matias, "Fast inference from
 * transformers via speculative decoding" (2023), for one acceptance rate; its sum over positions where rates differ; and
 * the verification's own cost in place of 1 where the batch is large.
 */
import { assert } from "@centspan/base";

/** Tokens a step gives on average when each of `draftTokens` is accepted with probability `rate`, and one is free. */
export function expectTokens(rate: number, draftTokens: number): number {
  assert(rate >= 0 && rate <= 1, `an acceptance rate of ${rate}`);
  return rate === 1 ? draftTokens + 1 : (1 - rate ** (draftTokens + 1)) / (1 - rate);
}

/** The same when the rate depends on the position: each is given that all before it were accepted. */
export function expectTokensByPosition(rates: readonly number[]): number {
  let all = 1;
  let expected = 1;
  for (const rate of rates) {
    all *= rate;
    expected += all;
  }
  return expected;
}

export type SpeculationCost = {
  draftTokens: number;
  /** Time of one draft step over one step of the target. */
  draftRatio: number;
  /** Time to verify over a step without drafts: 1 while memory bandwidth decides. */
  verifyRatio?: number;
};

/** Tokens a second over those without drafts. */
export const speedUp = (expected: number, { draftTokens, draftRatio, verifyRatio = 1 }: SpeculationCost): number =>
  expected / (draftTokens * draftRatio + verifyRatio);

/** T(B(γ+1)) ÷ T(B) for the step time T of so many tokens at once. */
export const findVerifyRatio = (stepMs: (tokens: number) => number, batch: number, draftTokens: number): number =>
  stepMs(batch * (draftTokens + 1)) / stepMs(batch);

/** The draft length with the highest value, the shortest of equals; 0 when drafting is worth nothing. */
export function findBestLength(longest: number, worthOf: (draftTokens: number) => number): number {
  let best = 0;
  let bestValue = worthOf(0);
  for (let draftTokens = 1; draftTokens <= longest; draftTokens++) {
    const value = worthOf(draftTokens);
    if (value > bestValue) [best, bestValue] = [draftTokens, value];
  }
  return best;
}
