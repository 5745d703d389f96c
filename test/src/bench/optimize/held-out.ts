/**
 * How far predictions are from what comes: a reference engine whose step-time coefficients differ from those that the simulator
 * would assume, by factors that are known; it serves one half, coefficients are fitted on that, and the other half is predicted
 * with them and, beside that, without any fit. And the same for the measured runs of real engines.
 */
import { createRandom } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  calibrate,
  createOpenLoop,
  createStepTimeModel,
  LLAMA_3_1_8B_H100,
  type MeasuredRun,
  measureError,
  pairUp,
  type ReplayError,
  replayRun,
  runCluster,
  type ServingRequest,
  type StepTimeCoefficients,
} from "@centspan/serving";
import { DENSE_RUNS, readMeasuredRun } from "../../anchors/read-measured-run.ts";

const policy = findKvPolicy("lru-leaf");

/** What a step of the reference engine takes, in units of what the simulator assumes. */
export const DISTURBANCE = {
  stepMs: 1.15,
  decodeSequenceMs: 1.4,
  per1000ContextTokensMs: 0.85,
  prefillTokenMs: 1.3,
  perMillionPrefillPairsMs: 1.3,
};

const ASSUMED = LLAMA_3_1_8B_H100;

const disturb = (c: StepTimeCoefficients): StepTimeCoefficients => ({
  stepMs: c.stepMs * DISTURBANCE.stepMs,
  decodeSequenceMs: c.decodeSequenceMs * DISTURBANCE.decodeSequenceMs,
  per1000ContextTokensMs: c.per1000ContextTokensMs * DISTURBANCE.per1000ContextTokensMs,
  prefillTokenMs: c.prefillTokenMs * DISTURBANCE.prefillTokenMs,
  perMillionPrefillPairsMs: c.perMillionPrefillPairsMs * DISTURBANCE.perMillionPrefillPairsMs,
});

export type HeldOutError = { fitted: ReplayError; assumed: ReplayError };

export function measureHeldOut(requests: number): HeldOutError {
  const run = serveReference(requests);
  const half = Math.floor(requests / 2);
  const { coefficients } = calibrate(run, policy, half);
  const errorOf = (c: StepTimeCoefficients): ReplayError =>
    measureError(pairUp(run, replayRun(run, c, policy)).slice(half));
  return { fitted: errorOf(coefficients ?? ASSUMED), assumed: errorOf(ASSUMED) };
}

function serveReference(count: number): MeasuredRun {
  const random = createRandom(7);
  const config = { blockTokens: 16, capacityBlocks: 25_000, maxSequences: 128, tokenBudget: 2_048 };
  let atNs = 0;
  const requests = Array.from({ length: count }, (_, at): ServingRequest => {
    atNs += Math.round(-Math.log(1 - random.next()) * 120e6);
    return {
      id: `r${at}`,
      arrivalNs: atNs,
      promptTokens: 100 + random.integer(1_900),
      outputTokens: 100 + random.integer(400),
      blockKeys: [],
    };
  });
  const stepTime = createStepTimeModel(disturb(ASSUMED));
  const served = runCluster({ replicas: [{ config, policy, stepTime }] }, createOpenLoop(requests));
  const byId = new Map(served.requests.map((request) => [request.id, request]));
  return {
    config,
    engine: { kind: "dense", dataParallel: 1 },
    requests: requests.map((request) => {
      const { firstTokenNs = 0, finishedNs = 0 } = byId.get(request.id) ?? {};
      return { ...request, firstTokenNs, finishedNs };
    }),
  };
}

/** The largest error of a mean on the held-out halves of the measured dense runs, in percent; null without data. */
export function measureCalibration(folder: string | null): number | null {
  if (folder === null) return null;
  const errors = DENSE_RUNS.flatMap(({ name, capacityBlocks }) => {
    const run = readMeasuredRun(folder, name, capacityBlocks);
    const { coefficients, refusals } = calibrate(run, policy, 150);
    if (coefficients === null || refusals.length > 0) return [Number.POSITIVE_INFINITY];
    const held = measureError(pairUp(run, replayRun(run, coefficients, policy)).slice(150));
    return [held.ttft, held.tpot, held.e2e].map(({ meanPercent }) => Math.abs(meanPercent));
  });
  return Math.max(...errors);
}
