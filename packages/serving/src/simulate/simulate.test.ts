import { findKvPolicy } from "@centspan/policies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { someConfig, someRequests } from "../core/testing-requests.ts";
import {
  type ClusterSpec,
  createClosedLoop,
  createOpenLoop,
  createStepTimeModel,
  LLAMA_3_1_8B_H100,
  runCluster,
  type ServingConfig,
  type ServingRequest,
  type Speculation,
  simulate,
  type Workload,
} from "../index.ts";

const stepTime = createStepTimeModel(LLAMA_3_1_8B_H100);
const policy = findKvPolicy("lru-leaf");
const fixed: ServingConfig = { blockTokens: 64, capacityBlocks: 6_144, maxSequences: 64, tokenBudget: 2_048 };
const one = (config: ServingConfig): ClusterSpec => ({ replicas: [{ config, policy, stepTime }] });
const transfer = { latencyMs: 1, bytesPerS: 25e9, kvBytesPerToken: 131_072 };

const silent = { onTokens: () => undefined, onFinished: () => undefined, onStep: () => undefined };

/** The whole course of a simulation as text. */
function record(cluster: ClusterSpec, workload: Workload): string {
  const lines: string[] = [];
  const { requests } = runCluster(cluster, workload, {
    observer: {
      onStep: (replica, step) => void lines.push(`${replica} ${JSON.stringify(step)}`),
      onTokens: (replica, id, first, count, atNs) => void lines.push(`${atNs} ${replica} ${id} ${first}+${count}`),
      onFinished: (id, atNs) => void lines.push(`${atNs} finished ${id}`),
    },
  });
  return [...lines, JSON.stringify(requests)].join("\n");
}

const speculation: Speculation = {
  drafts: [{ id: "small", parameters: 1e9, stepMs: 0.3, sequenceMs: 0.001, acceptance: [0.8, 0.6, 0.5] }],
  draftTokens: "auto",
};

/** Clusters of every shape, with caches that are too small. */
const someCluster: fc.Arbitrary<ClusterSpec> = fc
  .record({
    config: someConfig,
    replicas: fc.integer({ min: 1, max: 3 }),
    router: fc.constantFrom("round-robin", "least-load", "prefix-affinity", "random"),
    hasDrafts: fc.boolean(),
    isSeparate: fc.boolean(),
  })
  .map(({ config, replicas, router, hasDrafts, isSeparate }) => {
    const spec = { config, policy, stepTime, ...(hasDrafts ? { speculation } : {}) };
    if (!isSeparate) return { replicas: Array(replicas).fill(spec), router: { id: router } };
    const decode = Array(replicas).fill({ ...spec, role: "decode" as const });
    return { replicas: [{ ...spec, role: "prefill" as const }, ...decode], router: { id: router }, transfer };
  });

describe("a simulation", () => {
  it("in bulk comes to exactly what step by step comes to", () => {
    let repeated = 0;
    fc.assert(
      fc.property(someCluster, someRequests, (cluster, requests) => {
        let observed = 0;
        const onStep = (): void => {
          observed += 1;
        };
        const slow = runCluster(cluster, createOpenLoop(requests), { observer: { ...silent, onStep } });
        const fast = runCluster(cluster, createOpenLoop(requests));
        expect(fast).toEqual(slow);
        expect(slow.replicas.reduce((sum, { steps }) => sum + steps, 0)).toBe(observed);
        repeated += observed;
      }),
      { numRuns: 300 },
    );
    expect(repeated).toBeGreaterThan(1_000);
  });

  it("in bulk is exact over long answers, full caches and shared prompts too", () => {
    const requests = Array.from({ length: 60 }, (_, at): ServingRequest => {
      const promptTokens = 100 + ((at * 37) % 900);
      const keys = Array.from({ length: Math.floor(promptTokens / 16) }, (_, depth) => (at % 5) * 1_000 + depth);
      return {
        id: `r${at}`,
        arrivalNs: at * 40_000_000,
        promptTokens,
        outputTokens: 50 + ((at * 53) % 400),
        blockKeys: keys,
      };
    });
    for (const capacityBlocks of [120, 400, 5_000]) {
      const cluster = one({ blockTokens: 16, capacityBlocks, maxSequences: 16, tokenBudget: 512 });
      const slow = runCluster(cluster, createOpenLoop(requests), { observer: silent });
      expect(runCluster(cluster, createOpenLoop(requests))).toEqual(slow);
    }
  });

  it("gives a byte-identical course for the same requests and settings", () => {
    fc.assert(
      fc.property(someCluster, someRequests, (cluster, requests) => {
        expect(record({ ...cluster }, createOpenLoop([...requests]))).toBe(record(cluster, createOpenLoop(requests)));
      }),
    );
  });

  it("is not influenced by another that runs in the midst of it", () => {
    fc.assert(
      fc.property(someCluster, someCluster, someRequests, someRequests, (cluster, other, requests, others) => {
        const alone = runCluster(cluster, createOpenLoop(requests));
        const disturbed = runCluster(cluster, createOpenLoop(requests), {
          onProgress: () => void runCluster(other, createOpenLoop(others)),
        });
        expect(disturbed).toEqual(alone);
      }),
      { numRuns: 50 },
    );
  });

  it("that is stopped when enough is known says the same of those who had finished", () => {
    fc.assert(
      fc.property(someCluster, someRequests, fc.nat(13), (cluster, requests, at) => {
        const whole = runCluster(cluster, createOpenLoop(requests)).requests;
        const isEnough = ({ id }: { id: string }): boolean => id === `r${at}`;
        const cut = runCluster(cluster, createOpenLoop(requests), { isEnough }).requests;
        const wanted = whole.findIndex(isEnough);
        // Whoever finishes at the same instant may be in it too.
        expect(cut.length).toBeGreaterThanOrEqual(wanted === -1 ? whole.length : wanted + 1);
        for (const request of cut) expect(whole).toContainEqual(request);
      }),
    );
  });

  it("says that it thrashes when the cache is too small for the batch, and only then", () => {
    const requests = Array.from({ length: 12 }, (_, at): ServingRequest => {
      return { id: `r${at}`, arrivalNs: 0, promptTokens: 200, outputTokens: 800, blockKeys: [] };
    });
    const run = (capacityBlocks: number) => simulate(one({ ...fixed, capacityBlocks }), createOpenLoop(requests));
    expect(run(40)).toMatchObject({ thrashing: true, requests: 12 });
    expect(run(40).preemptions).toBeGreaterThan(5);
    expect(run(400)).toMatchObject({ thrashing: false, preemptions: 0, recomputedTokens: 0 });
  });

  it.each([
    ["capacityBlocks", { capacityBlocks: 2 }],
    ["tokenBudget", { tokenBudget: 32 }],
    ["maxSequences", { maxSequences: 0 }],
    ["blockTokens", { blockTokens: 1.5 }],
  ])("refuses settings that can't hold a request or make no sense: %s", (field, change) => {
    const request = { id: "r", arrivalNs: 0, promptTokens: 200, outputTokens: 8, blockKeys: [] };
    expect(() => simulate(one({ ...fixed, ...change }), createOpenLoop([request]))).toThrow(
      expect.objectContaining({ code: "invalid_request", field }),
    );
  });
});

describe("separate prefill and decode", () => {
  const spec = { config: fixed, policy, stepTime };
  const separate: ClusterSpec = {
    replicas: [
      { ...spec, role: "prefill" },
      { ...spec, role: "decode" },
    ],
    transfer,
  };
  const chat: ServingRequest = { id: "chat", arrivalNs: 0, promptTokens: 100, outputTokens: 400, blockKeys: [] };
  const long = Array.from({ length: 20 }, (_, at): ServingRequest => {
    return { id: `long${at}`, arrivalNs: (at + 1) * 100_000_000, promptTokens: 16_000, outputTokens: 2, blockKeys: [] };
  });
  const tpotMs = (cluster: ClusterSpec, requests: ServingRequest[]): number => {
    const done = runCluster(cluster, createOpenLoop(requests)).requests.find(({ id }) => id === "chat");
    return done ? (done.finishedNs - done.firstTokenNs) / 399 / 1e6 : Number.NaN;
  };

  it("leave decoding unharmed by long prompts", () => {
    const alone = tpotMs(separate, [chat]);
    expect(tpotMs(separate, [chat, ...long]) / alone).toBeLessThan(1.05);
    expect(tpotMs({ replicas: [spec, spec], router: { id: "round-robin" } }, [chat, ...long]) / alone).toBeGreaterThan(
      1.5,
    );
  });

  it("take the time of the transfer between the first token and the second", () => {
    const [done] = runCluster(separate, createOpenLoop([{ ...chat, outputTokens: 2 }])).requests;
    const transferNs = 1e6 + Math.round(((100 * 131_072) / 25e9) * 1e9);
    const decodeNs = Math.round(
      stepTime({ decodeSequences: 1, decodeContextTokens: 101, prefillTokens: 0, prefillAttentionPairs: 0 }) * 1e6,
    );
    expect((done?.finishedNs ?? 0) - (done?.firstTokenNs ?? 0)).toBe(transferNs + decodeNs);
  });

  it("are refused when a role or the transfer is missing", () => {
    expect(() => runCluster({ replicas: separate.replicas }, createOpenLoop([chat]))).toThrow(/transfer/);
    expect(() => runCluster({ ...separate, replicas: [{ ...spec, role: "decode" }] }, createOpenLoop([chat]))).toThrow(
      /need a replica each/,
    );
    expect(() => runCluster({ replicas: [] }, createOpenLoop([chat]))).toThrow(/without replicas/);
  });
});

describe("a closed loop", () => {
  const turn = { promptTokens: 100, outputTokens: 10, blockKeys: [], gapNs: 2_000_000_000 };
  const arrivalsOf = (workload: Workload) =>
    [...runCluster(one(fixed), workload).requests].sort((a, b) => a.arrivalNs - b.arrivalNs);

  it("asks again a gap after the last answer", () => {
    const [first, second, third] = arrivalsOf(createClosedLoop([{ thread: [turn, turn, { ...turn, gapNs: 5 }] }], 1));
    expect(first?.arrivalNs).toBe(turn.gapNs);
    expect(second?.arrivalNs).toBe((first?.finishedNs ?? 0) + turn.gapNs);
    expect(third?.arrivalNs).toBe((second?.finishedNs ?? 0) + 5);
  });

  it("keeps so many sessions open, and starts the next when one ends", () => {
    const done = arrivalsOf(createClosedLoop(Array(5).fill({ thread: [turn] }), 2));
    expect(done.map(({ arrivalNs }) => arrivalNs).slice(0, 2)).toEqual([turn.gapNs, turn.gapNs]);
    expect(done).toHaveLength(5);
    for (const at of [2, 3, 4]) expect(done[at]?.arrivalNs).toBe((done[at - 2]?.finishedNs ?? 0) + turn.gapNs);
  });

  it("runs sub-agents beside their parent, or has it wait for them", () => {
    const child = [{ ...turn, gapNs: 0, outputTokens: 300 }];
    const run = (waitsForThem: boolean) =>
      arrivalsOf(createClosedLoop([{ thread: [{ ...turn, subAgents: [child, child], waitsForThem }, turn] }], 1));
    const beside = run(false);
    const lastBeside = beside.find(({ id }) => id === "s0-3");
    expect(lastBeside?.arrivalNs).toBe((beside[0]?.finishedNs ?? 0) + turn.gapNs);
    const awaited = run(true);
    const childrenEndNs = Math.max(...awaited.slice(1, 3).map(({ finishedNs }) => finishedNs));
    expect(awaited).toHaveLength(4);
    expect(awaited[3]?.arrivalNs).toBe(childrenEndNs + turn.gapNs);
  });

  it("has the same requests however fast the service is, and a slower one spreads them", () => {
    const sessions = Array(6).fill({ thread: [turn, turn, turn] });
    const slow = { ...one(fixed), replicas: [{ config: fixed, policy, stepTime, speed: 0.1 }] };
    const fast = runCluster(one(fixed), createClosedLoop(sessions, 3));
    const slower = runCluster(slow, createClosedLoop(sessions, 3));
    const count = (run: typeof fast) => run.requests.map(({ promptTokens }) => promptTokens).length;
    expect(count(slower)).toBe(count(fast));
    expect(slower.endNs).toBeGreaterThan(fast.endNs);
  });

  it("is the same in bulk and step by step, over several replicas", () => {
    const sessions = Array.from({ length: 9 }, (_, at) => ({
      thread: Array.from({ length: 4 }, (_, n) => ({ ...turn, gapNs: at * 7_000_000 + n, outputTokens: 20 + at * 5 })),
    }));
    for (const replicas of [1, 3]) {
      const cluster: ClusterSpec = { replicas: Array(replicas).fill(one(fixed).replicas[0]) };
      const slow = runCluster(cluster, createClosedLoop(sessions, 4), { observer: silent });
      expect(runCluster(cluster, createClosedLoop(sessions, 4))).toEqual(slow);
    }
  });
});

describe("priorities", () => {
  it("let people pass batch work, and batch work finish all the same", () => {
    const job = (at: number, priority: ServingRequest["priority"]): ServingRequest => {
      return {
        id: `r${at}`,
        arrivalNs: at,
        promptTokens: 300,
        outputTokens: 200,
        blockKeys: [],
        ...(priority ? { priority } : {}),
      };
    };
    const night = Array.from({ length: 30 }, (_, at) => job(at, "batch"));
    const people = Array.from({ length: 4 }, (_, at) => ({
      ...job(100 + at, "interactive"),
      arrivalNs: 500_000_000 + at,
    }));
    const cluster = one({ ...fixed, maxSequences: 8 });
    const { requests } = runCluster(cluster, createOpenLoop([...night, ...people]));
    const ttft = (id: string): number => {
      const done = requests.find((request) => request.id === id);
      return (done?.firstTokenNs ?? 0) - (done?.arrivalNs ?? 0);
    };
    for (const { id } of people) expect(ttft(id)).toBeLessThan(100_000_000);
    expect(requests).toHaveLength(34);
    const plain = runCluster(cluster, createOpenLoop([...night, ...people].map(({ priority: _, ...rest }) => rest)));
    const late = plain.requests.find(({ id }) => id === "r100");
    expect((late?.firstTokenNs ?? 0) - (late?.arrivalNs ?? 0)).toBeGreaterThan(1_000_000_000);
  });
});

describe("drafts", () => {
  it("give as many tokens a step as the closed form says, and end sooner", () => {
    const requests = [{ id: "r", arrivalNs: 0, promptTokens: 100, outputTokens: 5_000, blockKeys: [] }];
    const fixedLength: Speculation = { ...speculation, draftTokens: 3 };
    const plain = simulate(one(fixed), createOpenLoop(requests));
    const drafted = simulate(
      { replicas: [{ config: fixed, policy, stepTime, speculation: fixedLength }] },
      createOpenLoop(requests),
    );
    // 1 + .8 + .8 × .6 + .8 × .6 × .5 tokens a step.
    expect(5_000 / drafted.steps).toBeCloseTo(2.52, 1);
    expect(drafted.draftAcceptance).toBeCloseTo(1.52 / 3, 1);
    expect(drafted.durationS).toBeLessThan(plain.durationS / 2);
  });
});
