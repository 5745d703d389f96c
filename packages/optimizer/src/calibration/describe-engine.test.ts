import type { EngineFacts, EngineStep } from "@centspan/model";
import { createStepTimeModel } from "@centspan/serving";
import { describe, expect, it } from "vitest";
import { STEP_TIME } from "../testing/synthetic-traffic.ts";
import { describeEngine } from "./describe-engine.ts";

const FACTS: EngineFacts = {
  service: "engine",
  basis: "simulated",
  replicas: 2,
  requests: 900,
  blockTokens: [64],
  capacityBlocks: [6_144],
  maxSequences: [64],
  tokenBudgets: [2_048],
  policies: ["fifo"],
  routers: ["random"],
  draftTokens: ["0"],
  chunkedPrefill: [true],
  promptTokens: [64, 4_096],
};
const stepTime = createStepTimeModel(STEP_TIME);
const STEPS: EngineStep[] = Array.from({ length: 400 }, (_, at) => {
  const load = {
    decodeSequences: 1 + (at % 17),
    decodeContextTokens: 700 * (1 + (at % 23)),
    prefillTokens: at % 5 === 0 ? 100 * (at % 11) : 0,
    prefillAttentionPairs: at % 5 === 0 ? 20_000 * (at % 11) : 0,
  };
  return {
    ...{ service: "engine", replica: "engine-0", basis: "simulated" as const, startedAtNs: BigInt(at) },
    ...{ ...load, stepMs: stepTime(load), draftedTokens: 0, acceptedTokens: 0, acceptedAt: [], rejectedAt: [] },
  };
});

describe("an engine by what it says of itself", () => {
  it("has fitted step times, stated limits and the range that was observed", () => {
    const { engine, refusals } = describeEngine("engine", { steps: STEPS, facts: [FACTS] });
    expect(refusals).toEqual([]);
    expect(engine).toMatchObject({
      replicas: 2,
      policy: "fifo",
      router: "random",
      chunkedPrefill: true,
      speculation: null,
      engine: { blockTokens: 64, capacityBlocks: 6_144, maxSequences: 64, tokenBudget: 2_048 },
      support: { sequences: [1, 17], promptTokens: [64, 4_096] },
    });
    expect((engine?.stepTime.stepMs ?? 0) / STEP_TIME.stepMs).toBeCloseTo(1, 2);
  });

  it.each([
    ["calibration_failed", STEPS, []],
    ["calibration_failed", STEPS.slice(0, 20), [FACTS]],
    ["capacity_unknown", STEPS, [{ ...FACTS, capacityBlocks: [] }]],
    ["mixed_engines", STEPS, [{ ...FACTS, maxSequences: [8, 64] }]],
    ["mixed_engines", STEPS, [FACTS, { ...FACTS, basis: "measured" as const }]],
  ])("is refused as %s, with what to collect", (reason, steps, facts) => {
    const { engine, refusals } = describeEngine("engine", { steps, facts });
    expect(engine).toBeNull();
    expect(refusals.map((one) => one.reason)).toContain(reason);
    for (const { collect } of refusals) expect(collect).not.toBe("");
  });

  it("that drafts is told by steps of another time, and its drafts by its own", () => {
    const drafting = STEPS.map((step) => ({
      ...step,
      draftedTokens: 4 * step.decodeSequences,
      acceptedTokens: step.decodeSequences,
    }));
    const facts = [{ ...FACTS, draftTokens: ["4"] }];
    const alone = describeEngine("engine", { steps: drafting, facts });
    expect(alone.refusals.map(({ message }) => message).join()).toContain("steps without drafts");
    const { engine } = describeEngine("engine", { steps: drafting, facts }, { steps: STEPS, facts: [FACTS] });
    expect(engine?.speculation).toMatchObject({ draftTokens: 4, drafts: [{ id: "observed" }] });
    expect(engine?.speculation?.drafts[0]?.acceptance).toHaveLength(4);
  });
});
