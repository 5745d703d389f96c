/**
 * What drafting costs, from steps that did: their time beyond what verifying takes by the fitted step times is the draft
 * model's, a part for each proposed position and a part for each sequence in it.
 */
import { addVerification, createStepTimeModel, type DraftModel, type StepTimeCoefficients } from "@centspan/serving";
import { estimateAcceptance, estimateByPosition, type PositionCounts } from "./acceptance.ts";
import type { ObservedStep } from "./fit-steps.ts";
import { solveLeastSquares } from "./solve-least-squares.ts";

export type DraftedStep = ObservedStep & PositionCounts & { acceptedTokens: number };

const FEWEST_STEPS = 50;

/** One draft model with `draftTokens` positions; null where too few steps drafted. */
export function fitDrafts(
  steps: readonly DraftedStep[],
  coefficients: StepTimeCoefficients,
  draftTokens: number,
): DraftModel | null {
  const drafted = steps.filter((step) => step.draftedTokens > 0 && step.decodeSequences > 0);
  if (drafted.length < FEWEST_STEPS) return null;
  const stepTime = createStepTimeModel(coefficients);
  const rows = drafted.map(({ draftedTokens, decodeSequences }) => [draftedTokens / decodeSequences, draftedTokens]);
  const beyondMs = drafted.map((step) => {
    const load = { ...step, prefillAttentionPairs: step.prefillAttentionPairs ?? 0 };
    return Math.max(0, step.stepMs - stepTime(addVerification(load, step.draftedTokens)));
  });
  const [stepMs = 0, sequenceMs = 0] = solveLeastSquares(
    rows,
    beyondMs,
    drafted.map(() => 1),
  );
  const sum = (read: (step: DraftedStep) => number): number => drafted.reduce((all, step) => all + read(step), 0);
  const proposed = sum((step) => step.draftedTokens);
  const acceptance =
    estimateByPosition(drafted, draftTokens) ??
    Array(draftTokens).fill(
      estimateAcceptance({ draftTokens, proposed, accepted: sum((step) => step.acceptedTokens) }) ?? 0,
    );
  // How large it is, steps do not say, and nothing depends on it.
  return { id: "observed", parameters: 1, stepMs, sequenceMs, acceptance };
}
