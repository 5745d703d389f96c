import { findKvPolicy } from "@centspan/policies";
import { describe, expect, it } from "vitest";
import {
  buildCluster,
  chooseCapacities,
  createOpenLoop,
  parseSimulationConfig,
  simulate,
  type TraceRequest,
  toServingRequests,
  traceHitRates,
} from "../index.ts";

const trace: TraceRequest[] = Array.from({ length: 40 }, (_, at) => ({
  arrivalNs: at * 500_000_000,
  promptTokens: 512 * 3 + 100,
  outputTokens: at === 0 ? 0 : 20,
  // The last block is partial.
  blockKeys: [at % 4, 10 + (at % 4), 20 + (at % 4), 100 + at],
}));
const shape = { traceBlockTokens: 512, blockTokens: 64, arrivalScale: 1 };

describe("a configuration", () => {
  it("has a default for everything", () => {
    const { cluster, price } = buildCluster(parseSimulationConfig({}));
    const result = simulate(cluster, createOpenLoop(toServingRequests(trace, shape)), { price });
    expect(result.requests).toBe(40);
    expect(result.hitRate).toBeGreaterThan(0.8);
    expect(Number(result.costPerMillionTokensUsd)).toBeGreaterThan(0);
  });

  it.each([
    ["replicas", { replicas: 0 }],
    ["engine.tokenBudget", { engine: { tokenBudget: "many" } }],
    ["engine.batch", { engine: { batch: 1 } }],
    ["gpus", { gpus: 4 }],
    ["gpuHourUsd", { gpuHourUsd: "3e0" }],
    [
      "speculation.drafts.0.acceptance.1",
      {
        speculation: {
          draftTokens: "auto",
          drafts: [{ id: "d", parameters: 1, stepMs: 1, sequenceMs: 0, acceptance: [0.5, 2] }],
        },
      },
    ],
    ["config", 7],
  ])("is refused with the path of the field: %s", (field, value) => {
    expect(() => parseSimulationConfig(value)).toThrow(expect.objectContaining({ code: "invalid_request", field }));
  });

  it.each([
    ["model", { model: "gpt" }],
    ["hardware", { hardware: "abacus" }],
    ["router.id", { router: { id: "sticky" } }],
    ["stepTime", { stepTime: "slow" }],
    ["stepTime", { model: "qwen3-32b" }],
    ["model", { model: "qwen3-30b-a3b", stepTime: "derived" }],
    ["hardware", { model: "llama-3.1-70b", stepTime: "derived" }],
  ])("whose names or sizes don't fit together is refused: %s", (field, value) => {
    expect(() => buildCluster(parseSimulationConfig(value))).toThrow(expect.objectContaining({ field }));
  });

  it("reaches the cluster: separate roles, tiers, parallel degrees, drafts and price", () => {
    const config = parseSimulationConfig({
      model: "llama-3.1-70b",
      stepTime: "derived",
      tensorParallel: 4,
      pipelineParallel: 2,
      separate: { prefillReplicas: 1, decodeReplicas: 2 },
      hostTier: { capacityBlocks: 1_000 },
      speculation: {
        draftTokens: 2,
        drafts: [{ id: "d", parameters: 1e9, stepMs: 1, sequenceMs: 0, acceptance: [0.8, 0.6] }],
      },
    });
    const { cluster, price } = buildCluster(config);
    expect(cluster.replicas.map(({ role }) => role)).toEqual(["prefill", "decode", "decode"]);
    expect(price.accelerators).toBe(24);
    expect(cluster.transfer?.kvBytesPerToken).toBe(327_680);
    const result = simulate(cluster, createOpenLoop(toServingRequests(trace, shape)), { price });
    expect(result.requests).toBe(40);
    expect(result.draftAcceptance).toBeGreaterThan(0.4);
  });

  it("with a host tier finds what the device had to give up", () => {
    const run = (hostTier: object | null) => {
      const config = parseSimulationConfig({ engine: { capacityBlocks: 60 }, hostTier });
      const { cluster } = buildCluster(config);
      return simulate(cluster, createOpenLoop(toServingRequests(trace, shape)));
    };
    const [without, withHost] = [run(null), run({ capacityBlocks: 1_000 })];
    expect(withHost.hitRate).toBeGreaterThan(without.hitRate + 0.3);
    expect(withHost.ttftMs?.mean).toBeLessThan(without.ttftMs?.mean ?? 0);
  });
});

describe("the range that step times were fitted on", () => {
  const run = (config: object, requests = trace) => {
    const { cluster, support } = buildCluster(parseSimulationConfig(config));
    return simulate(cluster, createOpenLoop(toServingRequests(requests, shape)), { support }).beyondSupport;
  };

  it("is said to have been left, by prompts and by batches, and only then", () => {
    expect(run({})).toEqual([]);
    const long = trace.map((request) => ({ ...request, promptTokens: 6_000 }));
    expect(run({}, long)).toMatchObject([{ what: "promptTokens", fitted: [1_024, 4_096], reached: [6_000, 6_000] }]);
    const crowd = Array.from({ length: 5 }, () => trace.map((request) => ({ ...request, arrivalNs: 0 }))).flat();
    const found = run({}, crowd);
    expect(found.map(({ what }) => what)).toEqual(["sequences"]);
    expect(found[0]?.reached[1]).toBeGreaterThan(128);
  });

  it("is not known of step times of one's own or from data sheets", () => {
    const long = trace.map((request) => ({ ...request, promptTokens: 6_000 }));
    expect(run({ stepTime: "derived" }, long)).toEqual([]);
  });
});

describe("a trace's requests", () => {
  it("have the engine's blocks, and keys of full ones only", () => {
    const [first] = toServingRequests(trace, shape);
    expect(first).toMatchObject({ id: "r0", promptTokens: 1_636, outputTokens: 1 });
    expect(first?.blockKeys).toHaveLength(25);
    expect(first?.blockKeys.slice(0, 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 80]);
    expect(toServingRequests(trace, { ...shape, blockTokens: 512 })[0]?.blockKeys).toEqual([0, 10, 20]);
  });

  it("of blocks that can't be cut are refused", () => {
    expect(() => toServingRequests(trace, { ...shape, blockTokens: 100 })).toThrow(/don't divide/);
  });
});

describe("the hit rate by capacity", () => {
  it("rises to what is repeated at all, and the optimum is never below", () => {
    const capacities = chooseCapacities(trace);
    const [curve, optimum] = traceHitRates(trace, {
      policies: [findKvPolicy("lru-leaf")],
      optimum: findKvPolicy("belady"),
      capacities,
    });
    // 4 × 40 ids, of which 12 + 40 are seen for the first time.
    expect(curve?.points.at(-1)).toEqual({ capacityBlocks: 52, hitRate: 108 / 160 });
    for (const [at, point] of (curve?.points ?? []).entries())
      expect(optimum?.points[at]?.hitRate).toBeGreaterThanOrEqual(point.hitRate);
  });

  it("is asked for at round capacities up to all distinct blocks", () => {
    expect(chooseCapacities(trace)).toEqual([10, 20, 50, 52]);
  });
});
