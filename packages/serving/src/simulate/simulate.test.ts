import { findKvPolicy } from "@centspan/policies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { someConfig, someRequests } from "../core/testing-requests.ts";
import {
  type ClusterSpec,
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

/** A person who waits could not be placed beside batch work which, growing, takes ever more of the room. */
const person = { priority: "interactive" as const, blockKeys: [] };
const waitsBesideBatch: [ClusterSpec, ServingRequest[]] = [
  {
    replicas: (["prefill", "decode"] as const).map((role) => ({
      config: { blockTokens: 2, capacityBlocks: 12, maxSequences: 3, tokenBudget: 4, chunkedPrefill: false },
      policy,
      stepTime,
      role,
    })),
    router: { id: "round-robin" },
    transfer,
  },
  [
    { ...person, id: "r0", arrivalNs: 19e6, promptTokens: 7, outputTokens: 2, blockKeys: [0] },
    { ...person, id: "r1", arrivalNs: 0, promptTokens: 2, outputTokens: 10 },
    { ...person, id: "r2", arrivalNs: 0, promptTokens: 2, outputTokens: 10, priority: "batch" },
    { ...person, id: "r3", arrivalNs: 19e6, promptTokens: 9, outputTokens: 2, blockKeys: [0] },
  ],
];

/** While one waits for room, a block that fills up joins another of its kind, and makes room. */
const waitsForBlocks: [ClusterSpec, ServingRequest[]] = [
  one({ blockTokens: 2, capacityBlocks: 14, maxSequences: 3, tokenBudget: 4, chunkedPrefill: false }),
  [
    { ...person, id: "r0", arrivalNs: 0, promptTokens: 12, outputTokens: 7, blockKeys: [0, 1] },
    { ...person, id: "r1", arrivalNs: 13e6, promptTokens: 2, outputTokens: 6, blockKeys: [0, 1] },
    { ...person, id: "r2", arrivalNs: 13e6, promptTokens: 10, outputTokens: 2 },
  ],
];

/** Two that finish at the same instant, one on each replica. */
const finishTogether: [ClusterSpec, ServingRequest[]] = [
  { replicas: Array(2).fill(one(fixed).replicas[0]), router: { id: "round-robin" } },
  ["r0", "r1"].map((id) => ({ ...person, id, arrivalNs: 9e6, promptTokens: 3, outputTokens: 1 })),
];

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
      { numRuns: 300, examples: [waitsBesideBatch, waitsForBlocks, finishTogether] },
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

  it("tell of every token once and in order, whoever made it", () => {
    const indices: number[] = [];
    const onTokens = (_replica: number, _id: string, first: number, count: number): void => {
      for (let at = first; at < first + count; at++) indices.push(at);
    };
    runCluster(separate, createOpenLoop([chat]), { observer: { ...silent, onTokens } });
    expect(indices).toEqual(Array.from({ length: 400 }, (_, at) => at));
  });

  it("are refused when a role or the transfer is missing", () => {
    expect(() => runCluster({ replicas: separate.replicas }, createOpenLoop([chat]))).toThrow(/transfer/);
    expect(() => runCluster({ ...separate, replicas: [{ ...spec, role: "decode" }] }, createOpenLoop([chat]))).toThrow(
      /need a replica each/,
    );
    expect(() => runCluster({ replicas: [] }, createOpenLoop([chat]))).toThrow(/without replicas/);
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
