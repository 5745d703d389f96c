/**
 * Step-time coefficients from spans of steps: fitted on the earlier ones, checked on the later ones, and refused with a
 * reason where the model does not describe what was observed. Step times are observed one by one here, so that nothing has to
 * be replayed; where an engine reports requests alone, `calibrate` of serving does it.
 * Invariant: coefficients are given only with the range that they were observed in; outside of it nothing is answered.
 */
import { createStepTimeModel, type StepTimeCoefficients, type Support } from "@centspan/serving";
import { solveLeastSquares } from "./solve-least-squares.ts";

/** What a span says of one step. */
export type ObservedStep = {
  /** In order of time. */
  startNs: bigint;
  stepMs: number;
  decodeSequences: number;
  decodeContextTokens: number;
  prefillTokens: number;
  /** Null where the engine does not say it: then attention of prompts can't be told from their other work. */
  prefillAttentionPairs: number | null;
  draftedTokens: number;
};

export type StepRefusal = {
  reason: "too_few_steps" | "nothing_varies" | "times_unexplained" | "drifts";
  message: string;
  collect: string;
};

export type StepFitError = { meanPercent: number; absolutePercent: number };

export type StepCalibration = {
  /** Null where they must not be used. */
  coefficients: StepTimeCoefficients | null;
  /** On later steps, which were not fitted. */
  heldOut: StepFitError | null;
  /** How far mean step times of the later half are from what the earlier half says: a machine that changes. */
  driftPercent: number | null;
  support: (Support & { contextTokens: readonly [number, number]; prefillTokens: readonly [number, number] }) | null;
  /** Parts that did not occur, and whose coefficient is therefore not known. */
  unobserved: readonly (keyof StepTimeCoefficients)[];
  steps: number;
  refusals: StepRefusal[];
};

const NAMES = [
  "stepMs",
  "decodeSequenceMs",
  "per1000ContextTokensMs",
  "prefillTokenMs",
  "perMillionPrefillPairsMs",
] as const;

const FEWEST_STEPS = 200;
/** Of the steps in order of time, what is fitted; the rest checks. */
const FIT_SHARE = 0.6;
const LIMITS = { meanPercent: 3, absolutePercent: 10, driftPercent: 5 };
/** Attention of a prompt beside its linear layers, in models of 8B to 32B; where spans don't say pairs. */
const PAIRS_OVER_TOKENS = 32;

export type FitStepsOptions = {
  /** Prompt lengths of the requests that were served, which steps don't say. */
  promptTokens: readonly [number, number];
};

/** Throws nothing: what is wrong is in `refusals`. Steps that verify drafts are left out, since drafting takes time of its own. */
export function fitSteps(observed: readonly ObservedStep[], { promptTokens }: FitStepsOptions): StepCalibration {
  const steps = observed
    .filter(({ draftedTokens, stepMs }) => draftedTokens === 0 && stepMs > 0)
    .toSorted((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  const none = {
    coefficients: null,
    heldOut: null,
    driftPercent: null,
    support: null,
    unobserved: [],
    steps: steps.length,
  };
  if (steps.length < FEWEST_STEPS) {
    const message = `${steps.length} steps without drafts; a fit and its check need ${FEWEST_STEPS}`;
    return { ...none, refusals: [{ reason: "too_few_steps", message, collect: "Let the engine serve for longer." }] };
  }
  const cut = Math.floor(FIT_SHARE * steps.length);
  const [earlier, later] = [steps.slice(0, cut), steps.slice(cut)];
  const coefficients = fitCoefficients(earlier);
  const heldOut = measure(later, coefficients);
  const driftPercent = measureDrift(steps);
  const batches = spread(steps, (one) => one.decodeSequences);
  const refusals = findStepRefusals({ heldOut, driftPercent, batches });
  return {
    coefficients: refusals.length === 0 ? coefficients : null,
    heldOut,
    driftPercent,
    support: {
      sequences: [Math.max(1, batches[0]), batches[1]],
      promptTokens,
      contextTokens: spread(steps, (one) => one.decodeContextTokens),
      prefillTokens: spread(steps, (one) => one.prefillTokens),
    },
    unobserved: NAMES.filter((_name, at) => at > 0 && steps.every((one) => featuresOf(one)[at] === 0)),
    steps: steps.length,
    refusals,
  };
}

function featuresOf(step: ObservedStep): number[] {
  const pairs = step.prefillAttentionPairs ?? 0;
  return [1, step.decodeSequences, step.decodeContextTokens / 1_000, step.prefillTokens, pairs / 1_000_000];
}

/** In relative terms: a step of 5 ms counts as much as one of 500. */
function fitCoefficients(steps: readonly ObservedStep[]): StepTimeCoefficients {
  const knowsPairs = steps.some(({ prefillAttentionPairs }) => prefillAttentionPairs !== null);
  const rows = steps.map((one) => (knowsPairs ? featuresOf(one) : featuresOf(one).slice(0, -1)));
  const [stepMs = 0, decodeSequenceMs = 0, per1000ContextTokensMs = 0, prefillTokenMs = 0, pairsMs] = solveLeastSquares(
    rows,
    steps.map((one) => one.stepMs),
    steps.map((one) => 1 / one.stepMs ** 2),
  );
  const perMillionPrefillPairsMs = pairsMs ?? PAIRS_OVER_TOKENS * prefillTokenMs;
  return { stepMs, decodeSequenceMs, per1000ContextTokensMs, prefillTokenMs, perMillionPrefillPairsMs };
}

function measure(steps: readonly ObservedStep[], coefficients: StepTimeCoefficients): StepFitError {
  const stepTime = createStepTimeModel(coefficients);
  let [observedMs, predictedMs, apart] = [0, 0, 0];
  for (const step of steps) {
    const predicted = stepTime({ ...step, prefillAttentionPairs: step.prefillAttentionPairs ?? 0 });
    observedMs += step.stepMs;
    predictedMs += predicted;
    apart += Math.abs(predicted - step.stepMs);
  }
  return {
    meanPercent: (100 * (predictedMs - observedMs)) / observedMs,
    absolutePercent: (100 * apart) / observedMs,
  };
}

function measureDrift(steps: readonly ObservedStep[]): number {
  const middle = Math.floor(steps.length / 2);
  return measure(steps.slice(middle), fitCoefficients(steps.slice(0, middle))).meanPercent;
}

function spread(steps: readonly ObservedStep[], read: (step: ObservedStep) => number): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const step of steps) {
    least = Math.min(least, read(step));
    most = Math.max(most, read(step));
  }
  return [least, most];
}

type Checked = { heldOut: StepFitError; driftPercent: number; batches: readonly [number, number] };

function findStepRefusals({ heldOut, driftPercent, batches }: Checked): StepRefusal[] {
  const refusals: StepRefusal[] = [];
  if (batches[0] === batches[1])
    refusals.push({
      reason: "nothing_varies",
      message: `all steps had ${batches[0]} sequences: what one more costs can't be told`,
      collect: "Let the load vary: an hour with little and an hour with much traffic will do.",
    });
  if (Math.abs(heldOut.meanPercent) > LIMITS.meanPercent || heldOut.absolutePercent > LIMITS.absolutePercent)
    refusals.push({
      reason: "times_unexplained",
      message: `on later steps the fit is off by ${heldOut.meanPercent.toFixed(1)}% in the mean and ${heldOut.absolutePercent.toFixed(1)}% each`,
      collect: "Fit one replica kind at a time; mixtures of experts and data-parallel engines need another model.",
    });
  else if (Math.abs(driftPercent) > LIMITS.driftPercent)
    refusals.push({
      reason: "drifts",
      message: `the later half of the steps took ${driftPercent.toFixed(1)}% other than the earlier half says`,
      collect: "Take a period in which the machine and its settings stayed the same.",
    });
  return refusals;
}
