/**
 * How likely proposed tokens are accepted. Steps report sums, not positions: one rate for all positions is what they say, the
 * one whose expected length is the observed one (Leviathan, Kalman and Matias, 2023). Where engines report positions, take
 * those instead.
 */
import { expectTokens } from "@centspan/serving";

export type DraftCounts = { draftTokens: number; proposed: number; accepted: number };

/** Null where nothing was proposed. `draftTokens`: proposed for each sequence in a step. */
export function estimateAcceptance({ draftTokens, proposed, accepted }: DraftCounts): number | null {
  if (proposed === 0 || draftTokens === 0) return null;
  const observed = (accepted / proposed) * draftTokens;
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (expectTokens(middle, draftTokens) - 1 < observed) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
