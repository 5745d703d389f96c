import { createRandom } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import { describe, expect, it } from "vitest";
import { calibrate, type MeasuredRun, measureError, pairUp, replayRun, type StepTimeCoefficients } from "../index.ts";
import { minimise } from "./minimise.ts";

const policy = findKvPolicy("lru-leaf");
const truth: StepTimeCoefficients = {
  stepMs: 10,
  decodeSequenceMs: 0.1,
  per1000ContextTokensMs: 0.05,
  prefillTokenMs: 0.03,
  perMillionPrefillPairsMs: 1,
};
const config = { blockTokens: 16, capacityBlocks: 600, maxSequences: 32, tokenBudget: 1_024 };

/** A run of an engine whose coefficients are known, with capacity that makes requests wait. */
function serve(requests: number): MeasuredRun {
  const random = createRandom(3);
  const asked = Array.from({ length: requests }, (_, at) => ({
    id: `r${at}`,
    arrivalNs: at * 25_000_000,
    promptTokens: 100 + random.integer(900),
    outputTokens: 50 + random.integer(150),
    blockKeys: [],
    firstTokenNs: 0,
    finishedNs: 0,
  }));
  const run: MeasuredRun = { requests: asked, config, engine: { kind: "dense", dataParallel: 1 } };
  const served = replayRun(run, truth, policy);
  const measured = asked.map((request, at) => {
    const { firstTokenNs = 0, finishedNs = 0 } = served[at] ?? {};
    return { ...request, firstTokenNs, finishedNs };
  });
  return { ...run, requests: measured };
}

describe("calibration", () => {
  const run = serve(120);

  it("finds coefficients that explain requests it has not seen", () => {
    const { coefficients, refusals } = calibrate(run, policy, 60);
    expect(refusals).toEqual([]);
    const heldOut = measureError(pairUp(run, replayRun(run, coefficients ?? truth, policy)).slice(60));
    for (const { meanPercent, absolutePercent } of Object.values(heldOut)) {
      expect(Math.abs(meanPercent)).toBeLessThan(2);
      expect(absolutePercent).toBeLessThan(5);
    }
  });

  it("is the same every time", () => {
    expect(calibrate(run, policy, 60)).toEqual(calibrate(run, policy, 60));
  });

  it.each([300, 900, 5_000])(
    "refuses a run whose KV size was told wrong: %d blocks instead of 600",
    (capacityBlocks) => {
      const { refusals } = calibrate({ ...run, config: { ...config, capacityBlocks } }, policy, 60);
      expect(refusals.map(({ field }) => field)).toContain("config.capacityBlocks");
    },
  );

  it("refuses engines that it does not describe, without trying", () => {
    const odd = { ...run, engine: { kind: "mixture_of_experts" as const, dataParallel: 2 } };
    const { coefficients, evaluations, refusals } = calibrate(odd, policy, 60);
    expect({ coefficients, evaluations }).toEqual({ coefficients: null, evaluations: 0 });
    expect(refusals.map(({ reason }) => reason)).toEqual(["mixture_of_experts", "data_parallel"]);
    expect(calibrate(run, policy, 10).refusals).toMatchObject([{ reason: "too_few" }]);
  });
});

it("the minimum of a crooked valley is found", () => {
  // Rosenbrock's function, whose minimum is at (1, 1).
  const { x, value } = minimise(([a = 0, b = 0]) => (1 - a) ** 2 + 100 * (b - a * a) ** 2, [-1.2, 1], {
    edges: [0.5, 0.2],
    evaluationsEach: 200,
  });
  expect(value).toBeLessThan(1e-6);
  expect(x[0]).toBeCloseTo(1, 2);
});
