/**
 * Step-time coefficients from a measured run: a first guess from the measured times, then the replay itself is fitted.
 * What the model can't describe is refused with a reason instead of answered: other kinds of engine, and runs that no
 * coefficients explain, as happens when the engine's limits were told wrong.
 */
import type { KvPolicyPlugin } from "@centspan/model";
import type { StepTimeCoefficients } from "../step-time.ts";
import { guessCoefficients, type StepShares } from "./guess-coefficients.ts";
import { METRICS, type MeasuredRun, READ_NS } from "./measured-run.ts";
import { minimise } from "./minimise.ts";
import { measureError, type Pair, pairUp, type ReplayError, replayRun } from "./replay-run.ts";

export type Refusal = {
  reason: "mixture_of_experts" | "data_parallel" | "too_few" | "waits_unexplained" | "times_unexplained";
  message: string;
  /** Of the run, where one can be named. */
  field?: string;
};

export type Calibration = {
  coefficients: StepTimeCoefficients | null;
  /** On the requests that were fitted. */
  fitted: ReplayError | null;
  evaluations: number;
  /** Why the coefficients must not be used; empty when they may. */
  refusals: Refusal[];
};

/** What may remain on the requests that were fitted: more says that the model is not that engine's. */
const LIMITS = { meanPercent: 5, absolutePercent: 10 };
const FEWEST = 30;

/** Where fits begin: a machine bound by its weights, and one bound by contexts and prompts. */
const STARTS: readonly StepShares[] = [
  { step: 0.65, sequences: 0.1, context: 0.1, prefill: 0.15 },
  { step: 0.35, sequences: 0.05, context: 0.3, prefill: 0.3 },
];

/** In logarithms: a first simplex of half a factor, then finer ones. */
const SEARCH = { edges: [0.4, 0.3, 0.15], evaluationsEach: 80 };

/** Fits on the first `fitRequests` of the run; the later ones are there for who checks. */
export function calibrate(run: MeasuredRun, policy: KvPolicyPlugin, fitRequests: number): Calibration {
  const refusals = refuseEngine(run, fitRequests);
  if (refusals.length > 0) return { coefficients: null, fitted: null, evaluations: 0, refusals };
  const replayFirst = (coefficients: StepTimeCoefficients): Pair[] =>
    pairUp(run, replayRun(run, coefficients, policy, fitRequests));
  const minima = STARTS.map((shares) => {
    const guess = guessCoefficients(run.requests.slice(0, fitRequests), shares);
    return minimise((x) => sumErrors(replayFirst(fromLogs(x))), toLogs(guess), SEARCH);
  });
  const best = minima.reduce((least, minimum) => (minimum.value < least.value ? minimum : least));
  const coefficients = fromLogs(best.x);
  const fitted = measureError(replayFirst(coefficients));
  const evaluations = minima.reduce((sum, minimum) => sum + minimum.evaluations, 1);
  return { coefficients, fitted, evaluations, refusals: refuseFit(run, fitted) };
}

function refuseEngine({ engine, requests }: MeasuredRun, fitRequests: number): Refusal[] {
  const refusals: Refusal[] = [];
  if (engine.kind === "mixture_of_experts")
    refusals.push({
      reason: "mixture_of_experts",
      message: "which experts a batch touches is not linear in the batch: this model does not describe it",
      field: "engine.kind",
    });
  if (engine.dataParallel > 1)
    refusals.push({
      reason: "data_parallel",
      message: `${engine.dataParallel} data-parallel ranks step together: one replica's model does not describe them`,
      field: "engine.dataParallel",
    });
  if (Math.min(fitRequests, requests.length) < FEWEST)
    refusals.push({ reason: "too_few", message: `fewer than ${FEWEST} requests to fit on`, field: "requests" });
  return refusals;
}

function refuseFit({ config }: MeasuredRun, fitted: ReplayError): Refusal[] {
  const refusals: Refusal[] = [];
  const say = (percent: number): string => `${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(1)}%`;
  const { ttft, tpot, e2e } = fitted;
  if (Math.abs(ttft.meanPercent) > LIMITS.meanPercent || ttft.absolutePercent > 2 * LIMITS.absolutePercent)
    refusals.push({
      reason: "waits_unexplained",
      message: `time to first token is off by ${say(ttft.meanPercent)}: with ${config.capacityBlocks} blocks and ${config.maxSequences} sequences requests would not have waited as they did`,
      field: "config.capacityBlocks",
    });
  const isOff = ({ meanPercent, absolutePercent }: ReplayError["tpot"]): boolean =>
    Math.abs(meanPercent) > LIMITS.meanPercent || absolutePercent > LIMITS.absolutePercent;
  if (isOff(tpot) || isOff(e2e))
    refusals.push({
      reason: "times_unexplained",
      message: `no coefficients explain the times: per token ${say(tpot.meanPercent)} (absolute ${tpot.absolutePercent.toFixed(1)}%), whole answer ${say(e2e.meanPercent)}`,
    });
  return refusals;
}

/** Relative differences, in all. Short waits are compared with a tenth of the mean: noise of milliseconds stays small. */
function sumErrors(pairs: readonly Pair[]): number {
  let sum = 0;
  for (const metric of METRICS) {
    const read = READ_NS[metric];
    const known = pairs.filter(({ measured }) => !Number.isNaN(read(measured)));
    const meanNs = known.reduce((all, { measured }) => all + read(measured), 0) / known.length;
    for (const { measured, replayed } of known)
      sum += Math.abs(read(replayed) - read(measured)) / (read(measured) + 0.1 * meanNs);
  }
  return sum;
}

/** Coefficients are positive and of very different size: their logarithms are what is varied. */
const SMALLEST = 1e-5;
const toLogs = (c: StepTimeCoefficients): number[] =>
  [c.stepMs, c.decodeSequenceMs, c.per1000ContextTokensMs, c.prefillTokenMs, c.perMillionPrefillPairsMs].map((value) =>
    Math.log(Math.max(SMALLEST, value)),
  );

function fromLogs(logs: readonly number[]): StepTimeCoefficients {
  const at = (index: number): number => Math.exp(logs[index] ?? 0);
  return {
    stepMs: at(0),
    decodeSequenceMs: at(1),
    per1000ContextTokensMs: at(2),
    prefillTokenMs: at(3),
    perMillionPrefillPairsMs: at(4),
  };
}
