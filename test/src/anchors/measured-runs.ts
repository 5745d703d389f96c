/** Step times fitted on the first half of measured runs, and the second half replayed; what must be refused is. */
import { findKvPolicy } from "@centspan/policies";
import { calibrate, type MeasuredRun, measureError, pairUp, replayRun } from "@centspan/serving";
import type { Anchor } from "./anchor.ts";
import { DENSE_RUNS, readMeasuredRun } from "./read-measured-run.ts";

const SOURCE = "vLLM 0.19 runs measured by LLMServingSim, 300 requests each";
const FIT_REQUESTS = 150;
const TOLERANCE_PERCENT = 3;
const policy = findKvPolicy("lru-leaf");

export function checkMeasuredRuns(folder: string): Anchor[] {
  const dense = DENSE_RUNS.flatMap(({ title, name, capacityBlocks }) =>
    checkHeldOut(title, readMeasuredRun(folder, name, capacityBlocks)),
  );
  const right = DENSE_RUNS[2];
  const refused = [0.75, 2].map((factor) => {
    const run = readMeasuredRun(folder, right.name, Math.round(factor * right.capacityBlocks));
    return checkRefusal(`${right.title} with ${factor} times its KV size`, run);
  });
  const experts = readMeasuredRun(folder, "RTXPRO6000_Qwen3-30B-A3B-Instruct-2507", 30_000);
  const undeclared: MeasuredRun = { ...experts, engine: { kind: "dense", dataParallel: 1 } };
  return [
    ...dense,
    ...refused,
    checkRefusal("a mixture of experts", experts),
    checkRefusal("a mixture of experts that is said to be dense", undeclared),
  ];
}

function checkHeldOut(title: string, run: MeasuredRun): Anchor[] {
  const { coefficients, refusals } = calibrate(run, policy, FIT_REQUESTS);
  const held = coefficients
    ? measureError(pairUp(run, replayRun(run, coefficients, policy)).slice(FIT_REQUESTS))
    : null;
  const errors = Object.entries(held ?? {}).map(([metric, { meanPercent, absolutePercent }]) => ({
    name: `${title}: mean error of ${metric} on the held-out half, %`,
    source: SOURCE,
    expected: 0,
    tolerance: TOLERANCE_PERCENT,
    measured: meanPercent,
    note: `mean absolute error ${absolutePercent.toFixed(2)}%`,
  }));
  const accepted: Anchor = {
    name: `${title}: reasons to refuse the fit`,
    source: SOURCE,
    expected: 0,
    tolerance: 0,
    measured: refusals.length,
  };
  return [accepted, ...errors];
}

function checkRefusal(title: string, run: MeasuredRun): Anchor {
  const { refusals } = calibrate(run, policy, FIT_REQUESTS);
  return {
    name: `${title} is refused`,
    source: SOURCE,
    expected: 1,
    tolerance: 0,
    measured: refusals.length > 0 ? 1 : 0,
    note: refusals.map(({ reason, message }) => `${reason}: ${message}`).join("; "),
  };
}
