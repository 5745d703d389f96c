import { buildCluster, createOpenLoop, type Session, simulate } from "@centspan/serving";
import { describe, expect, it } from "vitest";
import { createSettings, createSyntheticTraffic } from "../testing/synthetic-traffic.ts";
import { cutWindow, type Traffic } from "../traffic/traffic.ts";
import { type Evaluation, evaluate, isServable, sumBlocks } from "./evaluate.ts";
import { findBreaches, scoreOf } from "./score.ts";

const traffic = createSyntheticTraffic({ seed: 1, requests: 400, batchShare: 0.3 });
const settings = createSettings();

function run(of: Traffic, given = settings, window = cutWindow(of, 0, 1)): Evaluation {
  const evaluation = evaluate(given, window, { blocks: 8 });
  if (!isServable(evaluation)) throw new Error(evaluation.unservable);
  return evaluation;
}

describe("an evaluation", () => {
  it("adds up to what the simulator says of the whole", () => {
    const { priorities: _, ...config } = settings;
    const { cluster } = buildCluster(config);
    const requests = traffic.kind === "open" ? traffic.requests : [];
    const first = requests[0]?.arrivalNs ?? 0;
    const shifted = requests.map((request) => ({ ...request, arrivalNs: request.arrivalNs - first }));
    const whole = simulate(cluster, createOpenLoop(shifted));
    const { blocks, waits } = run(traffic);
    const sum = sumBlocks(blocks);
    expect(blocks).toHaveLength(8);
    expect(sum).toMatchObject({ requests: 400, promptTokens: whole.promptTokens, outputTokens: whole.outputTokens });
    expect(sum.hitTokens / sum.promptTokens).toBeCloseTo(whole.hitRate, 12);
    // Engines with little to do are busy for longer than their work takes in full ones.
    expect(sum.usedNs / 1e9).toBeLessThan(whole.utilisation * whole.durationS * 2);
    expect(waits.interactive.requests + waits.batch.requests).toBe(400);
  });

  it("counts the work of full engines as the time that they compute", () => {
    const flood = createSyntheticTraffic({ seed: 4, requests: 1_500, perS: 5_000 });
    const full = createSettings({ engine: { maxSequences: 16, capacityBlocks: 4_000 } });
    const { priorities: _, ...config } = full;
    const { cluster } = buildCluster(config);
    const whole = simulate(cluster, createOpenLoop(flood.kind === "open" ? flood.requests : []));
    const busyS = whole.utilisation * whole.durationS * 2;
    expect(sumBlocks(run(flood, full).blocks).usedNs / 1e9 / busyS).toBeCloseTo(1, 1);
  });

  it("counts less work where more is found in a cache, however little there is to do", () => {
    const spread = createSettings({ replicas: 4, router: { id: "random" } });
    const [random, affine] = [
      run(traffic, spread),
      run(traffic, { ...spread, router: { id: "prefix-affinity", settings: {} } }),
    ];
    const [a, b] = [sumBlocks(random.blocks), sumBlocks(affine.blocks)];
    expect(b.hitTokens).toBeGreaterThan(1.2 * a.hitTokens);
    expect(b.usedNs).toBeLessThan(0.95 * a.usedNs);
  });

  it("counts the work of replicas that compute prompts for others", () => {
    const apart = createSettings({
      replicas: 4,
      separate: { prefillReplicas: 1, decodeReplicas: 2, latencyMs: 1, bytesPerS: 50e9 },
    });
    const { blocks } = run(traffic, apart);
    expect(blocks.every(({ usedNs }) => usedNs > 0)).toBe(true);
  });

  it("counts nothing of the requests that only fill the caches", () => {
    const window = cutWindow(traffic, 0.5, 1, 0.3);
    expect(window.uncounted).toBeGreaterThan(50);
    const warm = run(traffic, settings, window);
    const cold = run(traffic, settings, cutWindow(traffic, 0.5, 1));
    const [warmSum, coldSum] = [sumBlocks(warm.blocks), sumBlocks(cold.blocks)];
    expect(warm.waits.interactive.requests).toBe(cold.waits.interactive.requests);
    expect(warmSum.hitTokens / warmSum.promptTokens).toBeGreaterThan(coldSum.hitTokens / coldSum.promptTokens);
    expect(warmSum.usedNs / warmSum.outputTokens).toBeLessThan(coldSum.usedNs / coldSum.outputTokens);
  });

  it("remembers who waits even where engines are not told, who then wait longer", () => {
    const busy = createSyntheticTraffic({ seed: 3, requests: 400, perS: 60, batchShare: 0.5 });
    const tight = createSettings({ engine: { maxSequences: 6 } });
    const [told, untold] = [run(busy, tight), run(busy, { ...tight, priorities: false })];
    expect(told.waits.batch.requests).toBe(untold.waits.batch.requests);
    expect(told.waits.interactive.ttftMs?.mean).toBeLessThan(untold.waits.interactive.ttftMs?.mean ?? 0);
  });

  it("says why settings can't serve the traffic instead of throwing", () => {
    const tiny = createSettings({ engine: { capacityBlocks: 4 } });
    const evaluation = evaluate(tiny, cutWindow(traffic, 0, 1), { blocks: 4 });
    expect(evaluation).toEqual({ unservable: expect.stringMatching(/this engine holds 256/) });
    expect(scoreOf(evaluation, []).refused).toMatch(/holds 256/);
  });

  it("refuses what leaves the range that was observed", () => {
    const support = { sequences: [1, 2] as const, promptTokens: [1, 100_000] as const };
    const busy = createSyntheticTraffic({ seed: 3, requests: 300, perS: 60 });
    const evaluation = evaluate(settings, cutWindow(busy, 0, 1), { blocks: 4, support });
    expect(scoreOf(evaluation, []).refused).toMatch(/batches reached \d+ sequences; .* 1 to 2/);
  });

  it("shares a step's fixed part among no more sequences than were ever observed", () => {
    const support = { sequences: [1, 20] as const, promptTokens: [1, 100_000] as const };
    const workAt = (maxSequences: number): number => {
      const evaluation = evaluate(createSettings({ engine: { maxSequences } }), cutWindow(traffic, 0, 1), {
        blocks: 1,
        support,
      });
      return isServable(evaluation) ? sumBlocks(evaluation.blocks).usedNs : Number.NaN;
    };
    expect(workAt(20)).toBeLessThan(workAt(5));
    expect(workAt(200)).toBeCloseTo(workAt(20), 0);
  });

  it("finds limits that are passed, of the class that they are for", () => {
    const evaluation = run(traffic);
    const limit = { priority: "batch", metric: "ttft", percentile: "p90", ms: 0.001 } as const;
    expect(findBreaches(evaluation, [limit])).toEqual([{ limit, reachedMs: expect.any(Number) }]);
    expect(findBreaches(evaluation, [{ ...limit, ms: 1e9 }])).toEqual([]);
    expect(scoreOf(evaluation, [limit]).violation).toBeGreaterThan(1);
  });

  it("takes sessions, whose requests follow answers", () => {
    const turn = (at: number) => ({
      promptTokens: 128 * (at + 1),
      outputTokens: 20,
      gapNs: at === 0 ? 0 : 1e9,
      blockKeys: Array.from({ length: 2 * (at + 1) }, (_, depth) => depth),
    });
    const sessions: Session[] = Array.from({ length: 6 }, (_, session) => ({
      thread: [0, 1, 2].map((at) => ({ ...turn(at), blockKeys: turn(at).blockKeys.map((key) => session * 100 + key) })),
      ...(session % 2 === 0 ? { priority: "batch" as const } : {}),
    }));
    const closed: Traffic = { kind: "closed", blockTokens: 64, sessions, concurrent: 2 };
    const { waits, blocks, spanNs } = run(closed);
    expect([waits.interactive.requests, waits.batch.requests]).toEqual([9, 9]);
    expect(sumBlocks(blocks).requests).toBe(18);
    expect(spanNs).toBeGreaterThan(6e9);
    expect(sumBlocks(blocks).spanNs).toBe(spanNs);
  });
});
