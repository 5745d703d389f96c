/**
 * How likely proposed tokens are accepted. Where steps say positions, each has the share of those that came to it: towards the
 * end of an answer fewer are proposed, and nobody comes to the others. Where steps report sums, one rate for all positions is what they say, the one whose
 * expected length is the observed one (Leviathan, Kalman and Matias, 2023).
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

export type PositionCounts = { acceptedAt: readonly number[]; rejectedAt: readonly number[] };

/** Of the first so many positions; one that nobody came to is taken to be as the one before it. Null where steps don't say positions. */
export function estimateByPosition(steps: readonly PositionCounts[], positions: number): number[] | null {
  if (steps.some(({ acceptedAt, rejectedAt }) => acceptedAt.length + rejectedAt.length === 0)) return null;
  const rates: number[] = [];
  for (let at = 0; at < positions; at += 1) {
    const sum = (read: (step: PositionCounts) => readonly number[]): number =>
      steps.reduce((all, step) => all + (read(step)[at] ?? 0), 0);
    const accepted = sum((step) => step.acceptedAt);
    const reached = accepted + sum((step) => step.rejectedAt);
    rates.push(reached === 0 ? (rates[at - 1] ?? 0) : accepted / reached);
  }
  return rates;
}
