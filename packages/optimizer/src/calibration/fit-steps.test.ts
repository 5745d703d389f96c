import { createRandom } from "@centspan/base";
import { findKvPolicy } from "@centspan/policies";
import {
  addVerification,
  createOpenLoop,
  createStepTimeModel,
  expectTokens,
  runCluster,
  type StepTimeCoefficients,
} from "@centspan/serving";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSyntheticTraffic, STEP_TIME } from "../testing/synthetic-traffic.ts";
import { estimateAcceptance, estimateByPosition } from "./acceptance.ts";
import { fitDrafts } from "./fit-drafts.ts";
import { fitSteps, type ObservedStep } from "./fit-steps.ts";
import { solveLeastSquares } from "./solve-least-squares.ts";

/** Steps of a served engine, as its spans would say them; each takes what the coefficients say and some noise. */
function serve(coefficients: StepTimeCoefficients, { noise = 0, perS = 8, seed = 1 } = {}): ObservedStep[] {
  const traffic = createSyntheticTraffic({ seed, requests: 400, perS });
  const requests = traffic.kind === "open" ? traffic.requests : [];
  const random = createRandom(seed);
  const steps: ObservedStep[] = [];
  const config = { blockTokens: 64, capacityBlocks: 4_000, maxSequences: 64, tokenBudget: 2_048 };
  const replica = { config, policy: findKvPolicy("lru-leaf"), stepTime: createStepTimeModel(coefficients) };
  runCluster({ replicas: [replica] }, createOpenLoop(requests), {
    observer: {
      onStep(_replica, step) {
        steps.push({
          startNs: BigInt(Math.round(step.startNs)),
          stepMs: step.stepTimeMs * (1 + noise * (random.next() - 0.5)),
          decodeSequences: step.decodes.length,
          decodeContextTokens: step.decodeContextTokens,
          prefillTokens: step.prefillTokens,
          prefillAttentionPairs: step.prefillAttentionPairs,
          draftedTokens: step.draftedTokens,
        });
      },
      onTokens: () => undefined,
      onFinished: () => undefined,
    },
  });
  return steps;
}

const PROMPTS = { promptTokens: [500, 6_000] as const };

describe("step times from spans", () => {
  it("are the coefficients that the engine runs with, where nothing disturbs them", () => {
    const { coefficients, heldOut, refusals, support, unobserved } = fitSteps(serve(STEP_TIME), PROMPTS);
    expect(refusals).toEqual([]);
    expect(unobserved).toEqual([]);
    for (const name of ["stepMs", "decodeSequenceMs", "per1000ContextTokensMs", "prefillTokenMs"] as const)
      expect((coefficients?.[name] ?? 0) / STEP_TIME[name], name).toBeCloseTo(1, 2);
    expect(Math.abs(heldOut?.meanPercent ?? 9)).toBeLessThan(0.1);
    expect(support?.promptTokens).toEqual([500, 6_000]);
    expect(support?.sequences[1]).toBeGreaterThan(4);
  });

  it("are within a percent where every step is disturbed by up to a tenth", () => {
    const { heldOut, refusals, coefficients } = fitSteps(serve(STEP_TIME, { noise: 0.2 }), PROMPTS);
    expect(refusals).toEqual([]);
    expect(Math.abs(heldOut?.meanPercent ?? 9)).toBeLessThan(1);
    expect((coefficients?.stepMs ?? 0) / STEP_TIME.stepMs).toBeCloseTo(1, 1);
  });

  it("do without the pairs of prompts where no span says them", () => {
    const steps = serve(STEP_TIME).map((step) => ({ ...step, prefillAttentionPairs: null }));
    const { coefficients, refusals } = fitSteps(steps, PROMPTS);
    expect(refusals).toEqual([]);
    expect(coefficients?.perMillionPrefillPairsMs).toBeCloseTo(32 * (coefficients?.prefillTokenMs ?? 0), 9);
  });

  it("are refused, with what to collect, where they can't be told", () => {
    const reasonsOf = (steps: readonly ObservedStep[]) => fitSteps(steps, PROMPTS).refusals.map(({ reason }) => reason);
    const steps = serve(STEP_TIME);
    expect(reasonsOf(steps.slice(0, 50))).toEqual(["too_few_steps"]);
    expect(reasonsOf(steps.map((step) => ({ ...step, draftedTokens: 4 })))).toEqual(["too_few_steps"]);
    expect(reasonsOf(steps.map((step) => ({ ...step, decodeSequences: 8 })))).toContain("nothing_varies");
    // Experts: what a step costs has nothing to do with how many sequences are in it.
    const random = createRandom(1);
    expect(reasonsOf(steps.map((step) => ({ ...step, stepMs: 4 + 60 * random.next() ** 4 })))).toContain(
      "times_unexplained",
    );
    const slower = steps.map((step, at) => (at < steps.length / 2 ? step : { ...step, stepMs: step.stepMs * 1.3 }));
    expect(fitSteps(slower, PROMPTS).coefficients).toBeNull();
    for (const { collect } of fitSteps(steps.slice(0, 50), PROMPTS).refusals) expect(collect).not.toBe("");
  });

  it("say how a machine changes while what it does stays the same", () => {
    const steps = serve(STEP_TIME);
    const drifting = steps.map((step, at) => ({ ...step, stepMs: step.stepMs * (1 + (0.2 * at) / steps.length) }));
    expect(fitSteps(drifting, PROMPTS).driftPercent).toBeLessThan(-5);
    expect(Math.abs(fitSteps(steps, PROMPTS).driftPercent ?? 9)).toBeLessThan(0.1);
  });
});

describe("least squares without negative coefficients", () => {
  it("find what made the observations, whatever it is", () => {
    const coefficients = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(coefficients, fc.nat(), (wanted, seed) => {
        const random = createRandom(seed);
        const rows = Array.from({ length: 40 }, () => [1, 100 * random.next(), 5_000 * random.next()]);
        const observed = rows.map((row) => row.reduce((sum, x, at) => sum + x * (wanted[at] ?? 0), 0));
        const found = solveLeastSquares(
          rows,
          observed,
          rows.map(() => 1),
        );
        for (const [index, row] of rows.entries()) {
          const again = row.reduce((sum, x, at) => sum + x * (found[at] ?? 0), 0);
          expect(Math.abs(again - (observed[index] ?? 0))).toBeLessThanOrEqual(
            1e-3 * Math.max(1, observed[index] ?? 0),
          );
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("drafting", () => {
  it("costs what steps take beyond verifying, and is accepted as often as they say", () => {
    const random = createRandom(3);
    const stepTime = createStepTimeModel(STEP_TIME);
    const steps = Array.from({ length: 300 }, (_, at) => {
      const decodeSequences = 1 + random.integer(20);
      const load = {
        decodeSequences,
        decodeContextTokens: 900 * decodeSequences,
        prefillTokens: 0,
        prefillAttentionPairs: 0,
      };
      const draftedTokens = 4 * decodeSequences;
      const stepMs = stepTime(addVerification(load, draftedTokens)) + 4 * (0.5 + 0.02 * decodeSequences);
      const sums = { draftedTokens, acceptedTokens: draftedTokens * 0.4, acceptedAt: [], rejectedAt: [] };
      return { ...load, startNs: BigInt(at), stepMs, ...sums };
    });
    const draft = fitDrafts(steps, STEP_TIME, 4);
    expect(draft?.stepMs).toBeCloseTo(0.5, 3);
    expect(draft?.sequenceMs).toBeCloseTo(0.02, 4);
    expect(expectTokens(draft?.acceptance[0] ?? 0, 4)).toBeCloseTo(1 + 0.4 * 4, 6);
    expect(fitDrafts(steps.slice(0, 10), STEP_TIME, 4)).toBeNull();
    // Where steps say positions, those count.
    const byPosition = steps.map((step) => ({ ...step, acceptedAt: [9, 6, 3, 0], rejectedAt: [1, 3, 3, 3] }));
    expect(fitDrafts(byPosition, STEP_TIME, 4)?.acceptance).toEqual([9 / 10, 6 / 9, 3 / 6, 0]);
  });
});

describe("acceptance", () => {
  it("is the rate whose expected length is what was accepted", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.integer({ min: 1, max: 8 }),
        (rate, draftTokens) => {
          const accepted = 1_000_000 * (expectTokens(rate, draftTokens) - 1);
          const found = estimateAcceptance({ draftTokens, proposed: 1_000_000 * draftTokens, accepted });
          expect(found).toBeCloseTo(rate, 6);
        },
      ),
    );
  });

  it("by position is that of the drafts, however short some are", () => {
    const rates = [0.8, 0.5, 0.3];
    const random = createRandom(5);
    const steps = Array.from({ length: 30_000 }, () => {
      const [acceptedAt, rejectedAt] = [
        [0, 0, 0],
        [0, 0, 0],
      ];
      const proposed = random.integer(4);
      let accepted = 0;
      while (accepted < proposed && random.next() < (rates[accepted] ?? 0)) acceptedAt[accepted++] = 1;
      if (accepted < proposed) rejectedAt[accepted] = 1;
      return { acceptedAt, rejectedAt };
    });
    const found = estimateByPosition(steps, 4);
    for (const [at, rate] of rates.entries()) expect(found?.[at]).toBeCloseTo(rate, 1.7);
    // Nobody came to the fourth.
    expect(found?.[3]).toBe(found?.[2]);
    expect(estimateByPosition([...steps, { acceptedAt: [], rejectedAt: [] }], 3)).toBeNull();
  });

  it("is not known where nothing was proposed", () => {
    expect(estimateAcceptance({ draftTokens: 0, proposed: 0, accepted: 0 })).toBeNull();
  });
});
