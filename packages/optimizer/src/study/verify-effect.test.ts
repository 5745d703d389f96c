import type { EngineFacts, Recommendation } from "@centspan/model";
import { createStepTimeModel } from "@centspan/serving";
import { describe, expect, it } from "vitest";
import type { DraftedStep } from "../calibration/fit-drafts.ts";
import type { Settings } from "../settings/knobs.ts";
import { createSettings, createSyntheticTraffic, STEP_TIME } from "../testing/synthetic-traffic.ts";
import { type AfterChange, readPrediction, verifyEffect } from "./verify-effect.ts";

const traffic = createSyntheticTraffic({ seed: 5, requests: 900, perS: 8 });
const arrivedAtNs = traffic.kind === "open" ? traffic.requests.map(({ arrivalNs }) => BigInt(arrivalNs)) : [];
const now = createSettings({ replicas: 1, engine: { maxSequences: 2, capacityBlocks: 4_000 } });
const proposed: Settings = { ...now, engine: { ...now.engine, maxSequences: 32 } };
const CHANGES: Recommendation["changes"] = [{ knob: "maxSequences", now: 2, proposed: 32, effect: null }];
const FACTS: EngineFacts = {
  ...{ service: "engine", basis: "simulated", replicas: 1, requests: 900, blockTokens: [64], capacityBlocks: [4_000] },
  ...{ maxSequences: [32], tokenBudgets: [8_192], policies: ["lru-leaf"], routers: [], draftTokens: [] },
  ...{ chunkedPrefill: [], promptTokens: [64, 4_096] },
};
const stepTime = createStepTimeModel(STEP_TIME);
/** Full batches all the time: as cheap as these settings can be. */
const STEPS: DraftedStep[] = Array.from({ length: 2_400 }, (_, at) => {
  const load = {
    decodeSequences: 32,
    decodeContextTokens: 32 * 1_500,
    prefillTokens: 90,
    prefillAttentionPairs: 60_000,
  };
  const drafts = { draftedTokens: 0, acceptedTokens: 0, acceptedAt: [], rejectedAt: [] };
  return { startNs: (arrivedAtNs.at(-1) ?? 0n) + BigInt(at), stepMs: stepTime(load), ...load, ...drafts };
});
const after: AfterChange = {
  ...{ traffic, arrivedAtNs, steps: STEPS, facts: FACTS },
  evidence: {
    ...{ requests: 900, withoutFingerprints: 0, replicaKinds: ["engine"], capacityBlocks: 4_000, backwards: 0 },
    calibrationRefusals: [],
  },
};
const verify = (given: Partial<AfterChange> = {}, modelError = 0) =>
  verifyEffect({ now, proposed, modelError }, CHANGES, { ...after, ...given });

describe("what came of settings that were applied", () => {
  it("is what steps took, against what the settings before would have made of the same requests", () => {
    const { effect, refusals, requests } = verify();
    expect(refusals).toEqual([]);
    expect(requests).toBe(900);
    expect(effect?.share).toBeLessThan(-0.2);
    expect(effect?.high).toBeLessThan(0);
    // As wide as the model is wrong, and wider for it.
    const width = (one: typeof effect): number => (one?.high ?? 0) - (one?.low ?? 0);
    expect(width(verify({}, 0.05).effect)).toBeGreaterThan(width(effect));
  });

  it("is refused where the engine says that it has them not, or not all along, and where nothing came", () => {
    const reasons = (given: Partial<AfterChange>): string[] => verify(given).refusals.map(({ reason }) => reason);
    expect(reasons({ facts: { ...FACTS, maxSequences: [2] } })).toEqual(["not_applied"]);
    expect(reasons({ facts: { ...FACTS, maxSequences: [2, 32] } })).toEqual(["not_applied"]);
    expect(reasons({ facts: null })).toEqual(["not_applied"]);
    expect(reasons({ steps: [] })).toEqual(["traffic_too_short"]);
    expect(reasons({ evidence: { ...after.evidence, requests: 20 } })).toContain("traffic_too_short");
  });

  it("is held against what the recommendation says of its settings, where it says something", () => {
    const evidence = { chosenOn: "", judgedOn: "", traceIds: [], verdict: null };
    expect(readPrediction({ evidence })).toBeNull();
    const verdict = { settings: { now, proposed }, modelError: null };
    expect(readPrediction({ evidence: { ...evidence, verdict } })).toEqual({ now, proposed, modelError: 0 });
  });
});
