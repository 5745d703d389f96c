/**
 * Where a simulation leaves the range that its step times were fitted on. A linear model says something there too, but
 * nobody has measured whether it is true: with twice the sequences it was off by up to a tenth, with other prompt lengths
 * by half.
 */
import type { StepTimePreset } from "./fitted-coefficients.ts";

export type Support = NonNullable<StepTimePreset["support"]>;

export type BeyondSupport = {
  what: "promptTokens" | "sequences";
  fitted: readonly [number, number];
  reached: readonly [number, number];
  message: string;
};

type Reached = { promptTokens: readonly number[]; largestBatch: number };

/** Batches smaller than the smallest that was fitted are no finding: every run begins and ends with them. */
export function findBeyondSupport(support: Support, { promptTokens, largestBatch }: Reached): BeyondSupport[] {
  const found: BeyondSupport[] = [];
  const [shortest, longest] = support.promptTokens;
  const outside = promptTokens.filter((tokens) => tokens < shortest || tokens > longest).length;
  if (outside > 0) {
    const share = `${((100 * outside) / promptTokens.length).toFixed(0)}% of the prompts`;
    found.push({
      what: "promptTokens",
      fitted: support.promptTokens,
      reached: promptTokens.reduce(
        ([low, high], tokens): [number, number] => [Math.min(low, tokens), Math.max(high, tokens)],
        [Number.POSITIVE_INFINITY, 0] as const,
      ),
      message: `${share} are outside of the ${shortest} to ${longest} tokens that the step times were fitted on`,
    });
  }
  const [fewest, most] = support.sequences;
  if (largestBatch > most) {
    const message = `batches reached ${largestBatch} sequences; the step times were fitted on ${fewest} to ${most}`;
    found.push({ what: "sequences", fitted: support.sequences, reached: [1, largestBatch], message });
  }
  return found;
}
