import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../evaluation/evaluate.ts";
import { compareScores, costOf, type Limit, type Score, scoreOf } from "../evaluation/score.ts";
import { createSpace, listPoints, type Point, presentPoint, type Space, writePoint } from "../settings/space.ts";
import { createSettings, createSyntheticTraffic } from "../testing/synthetic-traffic.ts";
import { cutWindow } from "../traffic/traffic.ts";
import { createSearch, type Question, runSearch } from "./search.ts";

const score = (used: number, violation = 0, refused: string | null = null): Score => ({
  refused,
  violation,
  usedGpuS: used,
  paidGpuS: used,
});

/** The slow obvious way. */
function findBest(points: readonly Point[], rate: (point: Point) => Score): Score {
  const scores = points.map(rate);
  return scores.reduce((best, one) => (compareScores(one, best, "used") < 0 ? one : best));
}

describe("the search", () => {
  const present = createSettings({ policy: "fifo", engine: { maxSequences: 8 } });
  const small = createSpace(present, {
    policy: ["lru-leaf", "arc"],
    maxSequences: [16, 64],
    tokenBudget: [512, 2_048],
    chunkedPrefill: [false],
  });

  it("finds the best where every setting has its own share of the cost, however the shares are", () => {
    const weights = fc.array(fc.array(fc.float({ min: 1, max: 2, noNaN: true }), { minLength: 4, maxLength: 4 }), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(weights, fc.nat(1_000), (shares, seed) => {
        const rate = (point: Point): Score =>
          score(
            small.knobs.reduce((all, { values }, at) => all * (shares[at]?.[values.indexOf(point[at] ?? "")] ?? 1), 1),
          );
        const search = runSearch(small, { candidates: 20, seed, objective: "used" }, ({ point }) => rate(point));
        const best = findBest(listPoints(small), rate);
        expect(search.best()?.score.usedGpuS).toBeLessThanOrEqual(best.usedGpuS * 1.001);
      }),
      { numRuns: 50 },
    );
  });

  it("prefers what can serve, then what keeps the limits, then what costs less", () => {
    const [can, keeps, cheap] = [score(9, 1), score(8), score(1, 0.5)];
    const sorted = [score(0.1, 0, "no"), cheap, can, keeps].sort((a, b) => compareScores(a, b, "used"));
    expect(sorted.map(({ usedGpuS }) => usedGpuS)).toEqual([8, 1, 9, 0.1]);
  });

  it("changes no setting that brings nothing", () => {
    const rate = ({ point }: Question): Score => score(point[0] === "arc" ? 1 : 2);
    const search = runSearch(small, { candidates: 60, seed: 3, objective: "used" }, rate);
    const point = search.best()?.question.point;
    expect(point).toEqual(presentPoint(small).with(0, "arc"));
  });

  it("changes a count no further than it has to", () => {
    const wide = createSpace(present, { maxSequences: [16, 32, 64, 128, 256] });
    const rate = ({ point: [batch] }: Question): Score => score(Number(batch) >= 32 ? 1 : 2);
    const search = runSearch(wide, { candidates: 60, seed: 3, objective: "used" }, rate);
    expect(search.best()?.question.point).toEqual([32]);
  });

  it("asks short windows first, and may be left at any time with the best so far", () => {
    const large = createSpace(present, {
      policy: ["lru-leaf", "arc", "lfu", "slru"],
      maxSequences: [16, 32, 64, 128],
      tokenBudget: [512, 1_024, 2_048, 4_096],
    });
    const search = createSearch(large, { candidates: 64, seed: 1, objective: "used" });
    expect(search.best()).toBeNull();
    const shares: number[] = [];
    for (let questions = search.next(); questions.length > 0; questions = search.next()) {
      expect(search.next()).toBe(questions);
      shares.push(questions[0]?.share ?? 0);
      search.tell(questions.map((_, at) => score(1 + at)));
      expect(search.best()?.score.usedGpuS).toBeLessThanOrEqual(1);
      expect(search.present()).not.toBeNull();
    }
    expect(shares.slice(0, 4)).toEqual([1 / 64, 1 / 16, 1 / 4, 1]);
    expect(new Set(shares.slice(3))).toEqual(new Set([1]));
  });

  it("is the same for the same seed, and draws others for another", () => {
    const ask = (seed: number) => createSearch(small, { candidates: 20, seed, objective: "used" }).next();
    expect(ask(1)).toEqual(ask(1));
    expect(ask(1)).not.toEqual(ask(2));
  });
});

describe("the search over simulated traffic", () => {
  const traffic = createSyntheticTraffic({ seed: 5, requests: 700, perS: 12 });
  const present = createSettings({ policy: "fifo", router: { id: "random" }, engine: { maxSequences: 4 } });
  const limits: Limit[] = [{ priority: "interactive", metric: "tpot", percentile: "p90", ms: 40 }];
  const space = createSpace(present, {
    policy: ["lru-leaf"],
    maxSequences: [16, 64],
    tokenBudget: [512, 2_048],
    router: ["prefix-affinity", "least-load"],
  });
  const rateOn = (of: Space, point: Point, share: number): Score =>
    scoreOf(evaluate(writePoint(of, point), cutWindow(traffic, 1 - share, 1), { blocks: 4 }), limits);

  it("comes within 2% of the exhaustive best", () => {
    const search = runSearch(
      space,
      { candidates: 24, seed: 2, objective: "used", firstShare: 1 / 4 },
      ({ point, share }) => rateOn(space, point, share),
    );
    const found = search.best();
    const best = findBest(listPoints(space), (point) => rateOn(space, point, 1));
    expect(found?.question.share).toBe(1);
    expect(found?.score.violation).toBe(best.violation);
    expect(costOf(found?.score ?? best, "used")).toBeLessThanOrEqual(1.02 * costOf(best, "used"));
    expect(search.progress().points).toBeLessThan(listPoints(space).length + 1);
  });
});
