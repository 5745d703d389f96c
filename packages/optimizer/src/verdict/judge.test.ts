import { parseDecimal } from "@centspan/base";
import { describe, expect, it } from "vitest";
import type { Settings } from "../settings/knobs.ts";
import { createSpace, presentPoint, type Space } from "../settings/space.ts";
import { createSettings, createSyntheticTraffic } from "../testing/synthetic-traffic.ts";
import { cutWindow, type Traffic } from "../traffic/traffic.ts";
import { type JudgeOptions, judge, type Verdict, type Windows } from "./judge.ts";
import { type Evidence, findEvidenceRefusals } from "./refusals.ts";
import { valueVerdict } from "./worth.ts";

const OPTIONS: JudgeOptions = { limits: [], objective: "used", level: 0.8, seed: 1, blocks: 12, factors: [] };
const traffic = createSyntheticTraffic({ seed: 11, requests: 1_600, perS: 8 });

const cutHalves = (of: Traffic): Windows => ({ chosenOn: cutWindow(of, 0, 0.5), judgedOn: cutWindow(of, 0.5, 1, 0.1) });

/** Judges a change of one setting of otherwise usual ones. */
function judgeChange(
  present: Settings,
  knob: string,
  to: string | number | boolean,
  of: Traffic = traffic,
  options = {},
) {
  const space: Space = createSpace(present, { [knob]: [to] });
  return judge(space, presentPoint(space).with(0, to), cutHalves(of), { ...OPTIONS, ...options });
}

const reasons = ({ refusals }: Verdict): string[] => refusals.map(({ reason }) => reason);

describe("a verdict", () => {
  const bad = createSettings({ policy: "fifo", router: { id: "random" }, engine: { maxSequences: 2 } });
  const spread = createSettings({ router: { id: "random" }, replicas: 4 });
  // The order of eviction counts where a cache is too small for all, and some come again more often.
  const tight = createSettings({ policy: "fifo", replicas: 1, engine: { capacityBlocks: 1_500 } });
  const skewed = createSyntheticTraffic({ seed: 4, requests: 3_000, perS: 12, users: 150, skew: 3 });

  it.each([
    ["maxSequences", 32, bad, traffic],
    ["router", "prefix-affinity", spread, traffic],
    ["policy", "lru-leaf", tight, skewed],
  ])("holds for a bad setting that is mended: %s → %s", (knob, to, present, of) => {
    const verdict = judgeChange(present, knob, to, of);
    expect(verdict.refusals).toEqual([]);
    expect(verdict.state).toBe("holds");
    expect(verdict.judged?.high).toBeLessThan(0);
    expect(verdict.predicted?.share).toBeLessThan(0);
    expect(verdict.changes).toEqual([expect.objectContaining({ knob, to })]);
    expect(verdict.changes[0]?.effect?.share).toBeCloseTo(verdict.judged?.share ?? 0, 9);
    expect(verdict.series).toHaveLength(12);
    const { before, after } = verdict.best ?? {};
    expect(after?.boundGpuS).toBeLessThanOrEqual(after?.usedGpuS ?? 0);
    expect(before?.hitRate).toBeLessThanOrEqual(before?.optimalHitRate ?? 0);
  });

  it("is refused for what makes no difference, with what would tell", () => {
    // The seed of the router that is not random changes nothing; a budget that no step reaches neither.
    const verdict = judgeChange(createSettings({ engine: { tokenBudget: 100_000 } }), "tokenBudget", 99_999);
    expect(reasons(verdict)).toEqual(["does_not_hold"]);
    const same = createSpace(createSettings(), { policy: ["fifo"] });
    const nothing = judge(same, presentPoint(same), cutHalves(traffic), OPTIONS);
    expect(reasons(nothing)).toEqual(["nothing_better"]);
  });

  it("is refused for what is worse on the later traffic", () => {
    expect(reasons(judgeChange(createSettings(), "maxSequences", 2))).toEqual(["does_not_hold"]);
  });

  it("is refused outside of what was observed, over a limit, and for too little traffic", () => {
    const support = { sequences: [1, 4] as const, promptTokens: [1, 200_000] as const };
    const busy = createSyntheticTraffic({ seed: 2, requests: 1_000, perS: 40 });
    expect(reasons(judgeChange(bad, "maxSequences", 64, busy, { support }))).toContain("outside_support");
    const limits = [{ priority: "interactive", metric: "tpot", percentile: "p99", ms: 8 }] as const;
    const verdict = judgeChange(bad, "maxSequences", 64, busy, { limits });
    expect(reasons(verdict)).toContain("over_limit");
    expect(verdict.refusals[0]?.message).toMatch(
      /p99 of tpot for interactive requests is \d+\.\d ms; the limit is 8 ms/,
    );
    const short = createSyntheticTraffic({ seed: 2, requests: 300 });
    expect(reasons(judgeChange(bad, "maxSequences", 64, short))).toEqual(["traffic_too_short"]);
  });

  it("names the present settings where they can't have served what was recorded", () => {
    expect(reasons(judgeChange(createSettings({ engine: { capacityBlocks: 8 } }), "capacityBlocks", 1_200))).toEqual([
      "present_unservable",
    ]);
  });

  it("says what happens with more traffic, and where it can't", () => {
    const support = { sequences: [1, 40] as const, promptTokens: [1, 200_000] as const };
    const { whatIf } = judgeChange(bad, "maxSequences", 64, traffic, { factors: [0.5, 2, 8], support });
    expect(whatIf.map(({ factor }) => factor)).toEqual([0.5, 2, 8]);
    expect(whatIf[0]?.effect?.share).toBeLessThan(0);
    expect(whatIf[2]).toMatchObject({ effect: null, refused: expect.stringMatching(/batches reached/) });
  });

  it("measures each change on top of those before it", () => {
    const space = createSpace(bad, { maxSequences: [32], router: ["prefix-affinity"], policy: ["lru-leaf"] });
    const verdict = judge(space, ["lru-leaf", 32, "prefix-affinity"], cutHalves(traffic), OPTIONS);
    const product = verdict.changes.reduce((all, { effect }) => all * (1 + (effect?.share ?? 0)), 1);
    expect(verdict.changes.map(({ knob }) => knob)).toEqual(["policy", "maxSequences", "router"]);
    expect(product - 1).toBeCloseTo(verdict.judged?.share ?? 0, 9);
  });
});

describe("the stated interval", () => {
  it("covers what later traffic of a known truth shows about as often as it says", () => {
    const present = createSettings({ router: { id: "random" } });
    const space = createSpace(present, { router: ["prefix-affinity"] });
    const point = ["prefix-affinity"];
    const trials = 40;
    let covered = 0;
    let widest = 0;
    for (let seed = 0; seed < trials; seed += 1) {
      const of = createSyntheticTraffic({ seed: 1_000 + seed, requests: 1_000, perS: 8 });
      const windows = { chosenOn: cutWindow(of, 0.2, 0.6, 0.2), judgedOn: cutWindow(of, 0.6, 1, 0.2) };
      const { judged, predicted } = judge(space, point, windows, { ...OPTIONS, seed });
      if (predicted && judged && predicted.low <= judged.share && judged.share <= predicted.high) covered += 1;
      widest = Math.max(widest, (predicted?.high ?? 0) - (predicted?.low ?? 0));
    }
    // Of 40 trials at 80% fewer than 25 are seen once in 300.
    expect(covered).toBeGreaterThanOrEqual(25);
    expect(covered).toBeLessThan(trials);
    expect(widest).toBeLessThan(0.3);
  });
});

describe("what a verdict is worth", () => {
  const space = createSpace(createSettings({ router: { id: "random" } }), { router: ["prefix-affinity"] });
  const verdict = judge(space, ["prefix-affinity"], cutHalves(traffic), OPTIONS);

  it("is capacity, and cash only where accelerators go", () => {
    const worth = valueVerdict(verdict, { gpuHourUsd: parseDecimal("3.60"), windowS: 100, passingOutcomes: 10 });
    const saved = Number(worth?.capacityUsdMonth);
    expect(saved).toBeCloseTo((worth?.savedGpuSMonth ?? 0) / 1_000, 3);
    expect(worth?.cashUsdMonth).toBe("0");
    expect(worth?.usdPerPassingOutcome?.before).toMatch(/^0\.\d+$/);
    const fewer = createSpace(createSettings({ replicas: 3 }), { replicas: [2] });
    const freed = judge(fewer, [2], cutHalves(traffic), { ...OPTIONS, objective: "paid" });
    expect(freed.state).toBe("holds");
    expect(freed.judged?.share).toBeCloseTo(-1 / 3, 9);
    expect(valueVerdict(freed, { gpuHourUsd: parseDecimal("3.60"), windowS: 100 })?.cashUsdMonth).toBe("2592");
  });
});

describe("evidence", () => {
  const good: Evidence = {
    requests: 5_000,
    withoutFingerprints: 10,
    replicaKinds: ["ours"],
    capacityBlocks: 6_144,
    backwards: 0,
    calibrationRefusals: [],
  };

  it("that is good is refused nothing", () => {
    expect(findEvidenceRefusals(good)).toEqual([]);
  });

  it.each([
    ["traffic_too_short", { requests: 100, withoutFingerprints: 0 }],
    ["clocks_disagree", { backwards: 60 }],
    ["missing_fingerprints", { withoutFingerprints: 4_000 }],
    ["mixed_engines", { replicaKinds: ["vllm 8b h100", "vllm 8b a100"] }],
    ["capacity_unknown", { capacityBlocks: null }],
    ["calibration_failed", { calibrationRefusals: ["times are off by 20%"] }],
  ])("is refused as %s, with what to collect", (reason, change) => {
    expect(findEvidenceRefusals({ ...good, ...change })).toEqual([
      { reason, message: expect.any(String), collect: expect.any(String) },
    ]);
  });

  it("with several faults is told all of them", () => {
    expect(findEvidenceRefusals({ ...good, capacityBlocks: null, backwards: 500 })).toHaveLength(2);
  });
});
