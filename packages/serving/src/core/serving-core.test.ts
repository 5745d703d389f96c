import { findKvPolicy, kvPolicies } from "@centspan/policies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createOpenLoop,
  createServingCore,
  createStepTimeModel,
  LLAMA_3_1_8B_H100,
  runCluster,
  type ServingConfig,
  type ServingOptions,
  type ServingRequest,
} from "../index.ts";
import { someConfig, someRequests } from "./testing-requests.ts";

const stepTime = createStepTimeModel(LLAMA_3_1_8B_H100);
const lruLeaf = findKvPolicy("lru-leaf");

const serve = (requests: ServingRequest[], options: ServingOptions) =>
  runCluster({ replicas: [options] }, createOpenLoop(requests));

const isInteractive = (all: ServingRequest[], id: string): boolean =>
  all.find((one) => one.id === id)?.priority !== "batch";

const fixed: ServingConfig = { blockTokens: 64, capacityBlocks: 6_144, maxSequences: 64, tokenBudget: 2_048 };

/** Requests in flat order with keys that nothing shares unless `keys` says so. */
const request = (id: string, promptTokens: number, outputTokens: number, keys?: number[]): ServingRequest => ({
  id,
  arrivalNs: 0,
  promptTokens,
  outputTokens,
  blockKeys: keys ?? [],
});

/** Found by chance: a sequence gave up its blocks, and with what that left it was admitted again in the same step. */
const PREEMPTED_AND_ADMITTED: [ServingConfig, ServingRequest[], { step: number; id: number }[]] = [
  { blockTokens: 2, capacityBlocks: 13, maxSequences: 3, tokenBudget: 8 },
  [
    { id: "r0", arrivalNs: 1_000_000, promptTokens: 7, outputTokens: 1, blockKeys: [200] },
    { id: "r1", arrivalNs: 0, promptTokens: 13, outputTokens: 2, blockKeys: [] },
    { id: "r2", arrivalNs: 0, promptTokens: 12, outputTokens: 2, blockKeys: [] },
    { id: "r3", arrivalNs: 0, promptTokens: 5, outputTokens: 2, blockKeys: [200] },
  ],
  [],
];

describe.each(kvPolicies.map((policy) => [policy.id, policy] as const))("serving core with %s", (_id, policy) => {
  it("serves every request to the end, leaks no block and evicts none in use, whatever is cancelled", () => {
    let preemptions = 0;
    let evictions = 0;
    const cancelAt = fc.array(fc.record({ step: fc.nat(30), id: fc.nat(13) }), { maxLength: 4 });
    fc.assert(
      fc.property(someConfig, someRequests, cancelAt, (settings, all, cancellations) => {
        const core = createServingCore({ config: settings, policy, stepTime });
        const ordered = [...all].sort((a, b) => a.arrivalNs - b.arrivalNs);
        for (const one of ordered) core.submit(one);
        const tokens = new Map<string, number>();
        const finished = new Set<string>();
        const cancelled = new Set<string>();
        let nowNs = 0;
        for (;;) {
          const step = core.nextStep(nowNs);
          if (!step) {
            const arrivalNs = core.nextArrivalNs();
            if (arrivalNs === null) break;
            expect(arrivalNs).toBeGreaterThan(nowNs);
            nowNs = arrivalNs;
            continue;
          }
          expect(step.number).toBeLessThan(10_000);
          const load = step.decodes.length + step.prefillTokens;
          const isAlone = settings.chunkedPrefill === false && step.prefills.length === 1 && step.decodes.length === 0;
          if (!isAlone) expect(load).toBeLessThanOrEqual(settings.tokenBudget);
          if (settings.chunkedPrefill === false) expect(Math.min(step.decodes.length, step.prefills.length)).toBe(0);
          expect(step.decodes.length + step.prefills.length).toBeLessThanOrEqual(settings.maxSequences);
          preemptions += step.preempted.length;
          // Who had to give its blocks up does not take them back in the same step.
          for (const { id } of step.admitted) {
            expect(step.preempted).not.toContain(id);
            if (step.preempted.length > 0) expect(isInteractive(all, id)).toBe(true);
          }
          evictions += step.evicted.length;
          for (const { step: at, id } of cancellations) {
            if (at === step.number && core.cancel(`r${id}`, nowNs)) cancelled.add(`r${id}`);
          }
          nowNs += step.durationNs;
          for (const event of core.completeStep(nowNs)) {
            expect(cancelled).not.toContain(event.id);
            if (event.type === "finished") finished.add(event.id);
            else {
              expect(event.index).toBe(tokens.get(event.id) ?? 0);
              tokens.set(event.id, event.index + 1);
            }
          }
          const { blocks } = core.state();
          expect(blocks.free + blocks.exclusive + blocks.pinned + blocks.idle).toBe(settings.capacityBlocks);
        }
        for (const one of all) {
          expect(finished.has(one.id)).toBe(!cancelled.has(one.id));
          if (finished.has(one.id)) expect(tokens.get(one.id)).toBe(one.outputTokens);
        }
        const { waiting, running, blocks } = core.state();
        expect({ waiting, running, exclusive: blocks.exclusive, pinned: blocks.pinned }).toEqual({
          waiting: 0,
          running: 0,
          exclusive: 0,
          pinned: 0,
        });
      }),
      { numRuns: 200, examples: [PREEMPTED_AND_ADMITTED] },
    );
    expect(preemptions).toBeGreaterThan(10);
    expect(evictions).toBeGreaterThan(10);
  });
});

describe("the line", () => {
  it("is first come, first served: first tokens come in order of arrival when all prompts are equal", () => {
    const all = Array.from({ length: 9 }, (_, at) => request(`r${at}`, 100, 3));
    const settings = { ...fixed, maxSequences: 2 };
    const { requests: done } = serve(all, { config: settings, policy: lruLeaf, stepTime });
    const byFirstToken = [...done].sort((a, b) => a.firstTokenNs - b.firstTokenNs).map((one) => one.id);
    expect(byFirstToken).toEqual(all.map((one) => one.id));
  });
});

describe("batching", () => {
  it("computes a long prompt in chunks within the token budget, beside the decoding of others", () => {
    const core = createServingCore({ config: { ...fixed, tokenBudget: 512 }, policy: lruLeaf, stepTime });
    core.submit(request("short", 10, 20));
    core.submit(request("long", 1_500, 2));
    const chunks: number[] = [];
    for (let step = core.nextStep(0); step; step = core.nextStep(step.startNs + step.durationNs)) {
      const long = step.prefills.find((prefill) => prefill.id === "long");
      if (long) {
        chunks.push(long.tokens);
        if (step.number > 1) expect(step.decodes.map((decode) => decode.id)).toEqual(["short"]);
      }
      core.completeStep(step.startNs + step.durationNs);
    }
    expect(chunks).toEqual([502, 511, 487]);
  });

  it("takes the prefix of an earlier request from the cache, but always computes the last prompt token", () => {
    const keys = [1, 2, 3, 4];
    const settings = { config: fixed, policy: lruLeaf, stepTime };
    const hits = (second: ServingRequest): number | undefined => {
      const late = { ...second, arrivalNs: 1_000_000_000 };
      return serve([request("first", 256, 2, keys), late], settings).requests.find((r) => r.id === "second")?.hitTokens;
    };
    expect(hits(request("second", 300, 1, keys))).toBe(256);
    expect(hits(request("second", 256, 1, keys))).toBe(192);
    expect(hits(request("second", 300, 1, [1, 2, 9, 10]))).toBe(128);
    expect(hits(request("second", 300, 1, [7, 2, 3, 4]))).toBe(0);
  });

  it("shares generated blocks too, so that the next turn finds its own answer", () => {
    const first = request("first", 64, 129, [1, 2, 3]);
    const second = { ...request("second", 200, 1, [1, 2, 3]), arrivalNs: 10_000_000_000 };
    const { requests: done } = serve([first, second], { config: fixed, policy: lruLeaf, stepTime });
    expect(done.find((one) => one.id === "second")?.hitTokens).toBe(192);
  });

  it("lets sixteen requests share a step: total throughput rises nearly tenfold or more", () => {
    const run = (n: number): number => {
      const all = Array.from({ length: n }, (_, at) => request(`r${at}`, 512, 256));
      const { endNs } = serve(all, { config: fixed, policy: lruLeaf, stepTime });
      return (n * 256) / endNs;
    };
    expect(run(16) / run(1)).toBeGreaterThan(9);
    expect(run(16) / run(1)).toBeLessThan(16);
  });

  it("refuses what could never fit", () => {
    const core = createServingCore({ config: { ...fixed, capacityBlocks: 4 }, policy: lruLeaf, stepTime });
    expect(() => core.submit(request("big", 250, 7))).toThrow(/257 tokens, .* holds 256/);
    expect(() => core.submit(request("fits", 250, 6))).not.toThrow();
  });
});

describe("settings at run time", () => {
  const open = () => {
    const core = createServingCore({ config: fixed, policy: lruLeaf, stepTime });
    for (let at = 0; at < 10; at++) core.submit(request(`r${at}`, 100, 50));
    return core;
  };
  /** Takes a step and returns it. */
  const take = (core: ReturnType<typeof open>, nowNs: number) => {
    const step = core.nextStep(nowNs) ?? expect.fail("nothing to do");
    core.completeStep(nowNs + step.durationNs);
    return step;
  };

  it("take effect with the next step, and who runs goes on", () => {
    const core = open();
    core.configure({ maxSequences: 4 });
    expect(take(core, 0).admitted).toHaveLength(4);
    core.configure({ maxSequences: 2 });
    expect(take(core, 1).decodes).toHaveLength(4);
    core.configure({ maxSequences: 10 });
    expect(take(core, 2).admitted).toHaveLength(6);
  });

  it("begin and end drafting between steps", () => {
    const core = open();
    take(core, 0);
    const draft = { id: "sure", parameters: 1e9, stepMs: 0.1, sequenceMs: 0, acceptance: [1, 1] };
    core.configure({ speculation: { drafts: [draft], draftTokens: 2 } });
    expect(take(core, 1)).toMatchObject({ draftModel: "sure", draftedTokens: 20 });
    expect(core.nextStep(2)?.decodes[0]?.contextTokens).toBe(104);
    core.configure({ speculation: null });
    expect(core.completeStep(3).filter((event) => event.type === "token")).toHaveLength(30);
    expect(take(core, 4)).toMatchObject({ draftModel: null, draftedTokens: 0 });
    expect(core.nextStep(5)?.decodes[0]?.contextTokens).toBe(108);
  });

  it("that make no sense are refused, naming the field, and change nothing", () => {
    const core = open();
    const refused = (field: string) => expect.objectContaining({ code: "invalid_request", field });
    expect(() => core.configure({ maxSequences: 0 })).toThrow(refused("maxSequences"));
    expect(() => core.configure({ maxSequences: 3, tokenBudget: 2 })).toThrow(refused("tokenBudget"));
    const speculation = { drafts: [], draftTokens: 1 };
    expect(() => core.configure({ maxSequences: 3, speculation })).toThrow(refused("speculation.drafts"));
    expect(take(core, 0).admitted).toHaveLength(10);
  });

  it("change the policy without losing what is cached", () => {
    const keys = [1, 2, 3, 4];
    const core = createServingCore({ config: fixed, policy: lruLeaf, stepTime });
    core.submit(request("first", 260, 1, keys));
    take(core, 0);
    for (const policy of kvPolicies) {
      core.configure({ policy });
      core.submit(request(policy.id, 260, 1, keys));
      expect(take(core, 1_000_000_000).admitted[0]?.hitBlocks, policy.id).toBe(4);
    }
  });
});

it("the step-time model is the published formula", () => {
  const load = {
    decodeSequences: 16,
    decodeContextTokens: 20_000,
    prefillTokens: 500,
    prefillAttentionPairs: 2_000_000,
  };
  expect(stepTime(load)).toBeCloseTo(6.36 + 0.224 + 0.908 + 9.1 + 1.188, 9);
});
