import type { Recommendation } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { formatEffect, prepareRecommendation } from "./prepare-recommendation.ts";

const waits = (factor: number) => ({
  requests: 10,
  ttftMs: { p50: 400 * factor, p90: 1_600 * factor, p99: 4_900 * factor },
  tpotMs: { p50: 17, p90: 23, p99: 31 },
});
const side = (hitRate: number, factor: number) => ({
  hitRate,
  largestBatch: 12,
  waits: { interactive: waits(factor), batch: { requests: 0, ttftMs: null, tpotMs: null } },
});
const effect = { share: -0.08, low: -0.1, high: -0.06, level: 0.8 };
const verdict = {
  predicted: effect,
  judged: { ...effect, share: -0.079 },
  series: [-0.05, -0.1, 0.02],
  before: side(0.818, 1),
  after: side(0.847, 0.8),
  best: {
    before: { usedGpuS: 200, boundGpuS: 100, hitRate: 0.8, optimalHitRate: 0.89 },
    after: { usedGpuS: 161, boundGpuS: 100, hitRate: 0.84, optimalHitRate: 0.893 },
  },
  whatIf: [
    { factor: 0.5, effect, breaches: [], refused: null },
    { factor: 2, effect: null, breaches: [], refused: "batch over 64 never observed" },
  ],
};
const recommendation: Recommendation = {
  id: "recommendation_1",
  state: "proposed",
  proposedBy: "k",
  proposedAt: "2026-11-28T00:00:00Z",
  steps: [],
  realised: null,
  kind: "serving",
  subject: "engine",
  title: "t",
  changes: [{ knob: "policy", now: "lru-leaf", proposed: "loop-aware", effect: null }],
  effect,
  metric: "gpu_seconds_per_token",
  savings: { capacityUsdMonth: "1420", cashUsdMonth: "0" },
  provenance: "simulated",
  evidence: { chosenOn: "a", judgedOn: "b", traceIds: [], verdict },
  risks: [],
  apply: [],
};

describe("a recommendation as pages show it", () => {
  it("has its effect, waits and what-ifs as texts", () => {
    const view = prepareRecommendation(recommendation);
    expect([view.effect, view.range]).toEqual(["−8.0%", "−10.0% – −6.0%"]);
    expect(view.changes).toEqual([
      { knob: "policy", now: "lru-leaf", proposed: "loop-aware", effect: "–", range: "–" },
    ]);
    expect(view.waits).toHaveLength(6);
    expect(view.waits[2]).toMatchObject({ percentile: "p99", now: "4.90 s", proposed: "3.92 s", change: "−20.0%" });
    expect(view.whatIf[1]).toMatchObject({ factor: "× 2", effect: null, refused: "batch over 64 never observed" });
    expect(view.hitRates).toEqual({ now: "81.8%", proposed: "84.7%", best: "89.3%" });
    expect(view.leftPct).toBe("61.0%");
  });

  it("plots later traffic, less below no change, inside of its box", () => {
    const { plot } = prepareRecommendation(recommendation);
    const [first, second, third] = plot?.points ?? [];
    expect(second?.y).toBeGreaterThan(first?.y ?? 0);
    expect(third?.y).toBeLessThan(plot?.zeroY ?? 0);
    for (const { x, y } of plot?.points ?? []) {
      expect(x).toBeLessThan(plot?.width ?? 0);
      expect(y).toBeLessThanOrEqual(plot?.height ?? 0);
    }
    expect(plot?.band?.height).toBeGreaterThan(0);
  });

  it("shows what there is where nobody kept a verdict, or one that can't be read", () => {
    for (const kept of [null, { series: "many" }]) {
      const view = prepareRecommendation({
        ...recommendation,
        effect: null,
        evidence: { ...recommendation.evidence, verdict: kept },
      });
      expect(view).toMatchObject({ effect: null, waits: [], whatIf: [], plot: null, hitRates: null, leftPct: null });
    }
  });

  it("writes effects with a true minus, and none for nothing", () => {
    expect([-0.079, 0, 0.12].map(formatEffect)).toEqual(["−7.9%", "0.0%", "+12.0%"]);
  });
});
