/** How long engines were busy with what, against a slow model; and the minutes in which tokens were used. */
import { findBillingPeriod, type SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { HOUR_NS, makeCall, makeLine, makeSpan, NOON_NS, spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
const RANGE = { fromNs: NOON_NS, toNs: NOON_NS + HOUR_NS };
const SECOND_NS = 1_000_000_000n;
let workspaces = 0;
const measure = async (spans: readonly SpanRecord[]) => {
  const workspace = `engine${++workspaces}`;
  await test.warehouse.insertSpans(workspace, spans);
  return test.warehouse.sumEngineTime(workspace, RANGE);
};

type Step = { replica: string; ms: number; prefill: number; batch: number; proposed: number; accepted: number };
const toSpan = (number: number, { replica, ms, prefill, batch, proposed, accepted }: Step): SpanRecord =>
  makeSpan({
    name: "inference.decode.step",
    service: "engine",
    traceId: traceId(7),
    spanId: spanId(number + 1),
    startedAtNs: NOON_NS + BigInt(number) * SECOND_NS,
    endedAtNs: NOON_NS + BigInt(number) * SECOND_NS + BigInt(ms) * 1_000_000n,
    attributes: {
      "centspan.replica.id": replica,
      "centspan.step.prefill_tokens": String(prefill),
      "centspan.step.batch_size": String(batch),
      "centspan.step.draft_proposed": String(proposed),
      "centspan.step.draft_accepted": String(accepted),
    },
  });

/** Nothing is computed in it. */
const IDLE: Step = { replica: "a", ms: 0, prefill: 0, batch: 0, proposed: 0, accepted: 0 };

describe("the time of an engine", () => {
  it("is shared in each step by the tokens computed in it, whatever the steps are", async () => {
    const step = fc.record({
      replica: fc.constantFrom("a", "b"),
      ms: fc.integer({ min: 0, max: 999 }),
      prefill: fc.integer({ min: 0, max: 4096 }),
      batch: fc.integer({ min: 0, max: 64 }),
      proposed: fc.integer({ min: 0, max: 200 }),
      accepted: fc.integer({ min: 0, max: 200 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        let [prefillNs, busyNs] = [0n, 0n];
        for (const { ms, prefill, batch, proposed } of steps) {
          const ns = BigInt(ms) * 1_000_000n;
          const computed = BigInt(prefill + batch + proposed);
          if (computed > 0n) prefillNs += (ns * BigInt(prefill)) / computed;
          busyNs += ns;
        }
        const spans = steps.map((one, number) => toSpan(number, one));
        expect(await measure([...spans, ...spans.slice(0, 3)])).toEqual([
          {
            service: "engine",
            basis: "measured",
            replicas: new Set(steps.map(({ replica }) => replica)).size,
            prefillNs,
            decodeNs: busyNs - prefillNs,
            prefillTokens: steps.reduce((sum, { prefill }) => sum + prefill, 0),
            decodeTokens: steps.reduce((sum, { batch, accepted }) => sum + batch + accepted, 0),
          },
        ]);
      }),
      { numRuns: 8, examples: [[[IDLE]], [[IDLE, { ...IDLE, ms: 7 }]]] },
    );
  });

  it("is what the model of a simulated one says, and is simulated; what began elsewhere is not in it", async () => {
    const step = { replica: "a", ms: 5, prefill: 30, batch: 10, proposed: 0, accepted: 0 };
    const { attributes, ...span } = toSpan(0, step);
    const simulated = {
      ...span,
      attributes: { ...attributes, "centspan.provenance": "simulated", "centspan.step.time_ms": "50.5" },
    };
    const found = await measure([
      simulated,
      { ...simulated, spanId: spanId(9), startedAtNs: RANGE.toNs, endedAtNs: RANGE.toNs + 1n },
    ]);
    expect(found).toMatchObject([{ basis: "simulated", prefillNs: 37_875_000n, decodeNs: 12_625_000n }]);
  });

  it("of one that reports requests is the time in which at least one was in the model", async () => {
    const request = (number: number, endS: number, prefillS: string, decodeS: string, instance: string) =>
      makeSpan({
        name: "llm_request",
        service: "vllm",
        spanId: spanId(number),
        startedAtNs: NOON_NS,
        endedAtNs: NOON_NS + BigInt(endS) * SECOND_NS,
        resourceAttributes: { "service.name": "vllm", "service.instance.id": instance },
        attributes: {
          "gen_ai.latency.time_in_queue": "0.5",
          "gen_ai.latency.time_in_model_prefill": prefillS,
          "gen_ai.latency.time_in_model_decode": decodeS,
          "gen_ai.usage.prompt_tokens": "1000",
          "gen_ai.usage.completion_tokens": "100",
        },
      });
    const found = await measure([
      // From 1 to 5, 3 to 7 and 9 to 10 one is busy for 7 seconds; another one for 2.
      request(1, 5, "1", "3", "one"),
      request(2, 7, "1.0", "3", "one"),
      request(3, 10, "0.25", "0.75", "one"),
      request(4, 10, "1", "1", "other"),
    ]);
    expect(found).toEqual([
      {
        service: "vllm",
        basis: "measured",
        replicas: 2,
        prefillNs: 2_750_000_000n,
        decodeNs: 6_250_000_000n,
        prefillTokens: 4000,
        decodeTokens: 400,
      },
    ]);
  });
});

it("gives tokens by minute, with the minute's day in the zone, of those asked for and no others", async () => {
  const october = findBillingPeriod("UTC", "2026-10");
  const call = (id: string, minutes: bigint, given: Parameters<typeof makeCall>[1] = {}) =>
    makeCall(id, {
      atNs: october.fromNs + minutes * 60n * SECOND_NS,
      team: "search",
      lines: [
        makeLine({ quantity: 30 }),
        makeLine({ meter: "output_text", quantity: 4 }),
        makeLine({ meter: "web_search", quantity: 1 }),
      ],
      ...given,
    });
  const first = call("a", 0n);
  await test.warehouse.insertCalls("minutes", [
    first,
    { ...call("b", 0n), atNs: first.atNs + 59n * SECOND_NS },
    call("c", 960n),
    call("d", 0n, { team: "data" }),
    call("e", 0n, { model: "another" }),
    call("f", 0n, { provider: "another" }),
  ]);
  const { provider, model } = first;
  const read = (given: object) =>
    test.warehouse.listMinuteTokens("minutes", october, "Asia/Seoul", {
      provider,
      models: [model],
      scope: "team",
      scopeIds: ["search"],
      ...given,
    });
  expect(await read({})).toEqual([
    { day: "2026-10-01", tokens: 68 },
    { day: "2026-10-02", tokens: 34 },
  ]);
  expect(await read({ scope: "org", scopeIds: [] })).toMatchObject([{ tokens: 102 }, { tokens: 34 }]);
  expect(await read({ scope: "key", scopeIds: ["nobody"] })).toEqual([]);
});

describe("what engines say", () => {
  const lookup = (number: number, attributes: Record<string, string>): SpanRecord =>
    makeSpan({
      name: "inference.kv.lookup",
      service: "engine",
      spanId: spanId(500 + number),
      attributes: { "centspan.replica.id": `engine-${number % 2}`, "centspan.kv.block_tokens": "64", ...attributes },
    });
  const store = async (spans: readonly SpanRecord[]): Promise<string> => {
    const workspace = `engine${++workspaces}`;
    await test.warehouse.insertSpans(workspace, spans);
    return workspace;
  };

  it("of their steps is read in order, once each, with what is not said told from nothing", async () => {
    const drafted = toSpan(2, { ...IDLE, ms: 12, batch: 1, proposed: 8, accepted: 5 });
    const positions = { "centspan.step.draft_accepted_at": "[4,1]", "centspan.step.draft_rejected_at": "[0,3]" };
    const steps = [
      toSpan(0, { ...IDLE, ms: 9, batch: 3 }),
      toSpan(1, { ...IDLE, ms: 30, batch: 2, prefill: 700 }),
      { ...drafted, attributes: { ...drafted.attributes, ...positions } },
    ];
    const workspace = await store([...steps, ...steps.slice(1)].reverse());
    expect(await test.warehouse.listEngineSteps(workspace, RANGE, 100)).toMatchObject([
      { service: "engine", stepMs: 9, decodeSequences: 3, prefillTokens: 0, prefillAttentionPairs: 0, acceptedAt: [] },
      { stepMs: 30, decodeSequences: 2, prefillTokens: 700, prefillAttentionPairs: null },
      { stepMs: 12, draftedTokens: 8, acceptedTokens: 5, acceptedAt: [4, 1], rejectedAt: [0, 3], basis: "measured" },
    ]);
  });

  it("of many steps is a sample over all of the time, the same at each asking", async () => {
    const workspace = await store(Array.from({ length: 600 }, (_, at) => toSpan(at, { ...IDLE, ms: 5, batch: 1 })));
    const range = { fromNs: NOON_NS, toNs: NOON_NS + HOUR_NS };
    const sample = await test.warehouse.listEngineSteps(workspace, range, 100);
    expect(sample.length).toBeGreaterThan(40);
    expect(sample.length).toBeLessThan(180);
    expect(sample.at(-1)?.startedAtNs).toBeGreaterThan(NOON_NS + 400n * SECOND_NS);
    expect(await test.warehouse.listEngineSteps(workspace, range, 100)).toEqual(sample);
  });

  it("of themselves has every value that was said, and nothing where nothing was", async () => {
    const workspace = await store([
      lookup(0, {
        "centspan.kv.capacity_blocks": "6144",
        "centspan.kv.hit_blocks": "2",
        "centspan.kv.miss_blocks": "3",
      }),
      lookup(1, {
        "centspan.kv.capacity_blocks": "800",
        "centspan.kv.policy": "fifo",
        "centspan.engine.router": "random",
        "centspan.engine.chunked_prefill": "true",
        "centspan.kv.miss_blocks": "40",
      }),
      lookup(2, {
        "centspan.engine.max_sequences": "64",
        "centspan.kv.policy": "fifo",
        "centspan.kv.miss_blocks": "1",
      }),
    ]);
    expect(await test.warehouse.listEngineFacts(workspace, RANGE)).toEqual([
      {
        service: "engine",
        basis: "measured",
        replicas: 2,
        requests: 3,
        blockTokens: [64],
        capacityBlocks: [800, 6144],
        maxSequences: [64],
        tokenBudgets: [],
        policies: ["fifo"],
        routers: ["random"],
        draftTokens: [],
        chunkedPrefill: [true],
        promptTokens: [64, 2560],
      },
    ]);
  });

  it("of their settings is told as spells, a new one with each change", async () => {
    const at = (number: number, sequences: string): SpanRecord => ({
      ...lookup(2 * number, { "centspan.engine.max_sequences": sequences, "centspan.kv.policy": "fifo" }),
      startedAtNs: NOON_NS + BigInt(number) * SECOND_NS,
    });
    const spans = [at(0, "8"), at(1, "8"), at(2, "64"), at(3, "8")];
    const workspace = await store([...spans, ...spans]);
    expect(await test.warehouse.listEngineSpells(workspace, RANGE)).toMatchObject([
      { fromNs: NOON_NS + 3n * SECOND_NS, maxSequences: 8, requests: 1 },
      { maxSequences: 64, requests: 1, tokenBudget: 0, router: "" },
      { fromNs: NOON_NS, toNs: NOON_NS + SECOND_NS, requests: 2, policy: "fifo", service: "engine", replicas: 1 },
    ]);
  });

  it("of each request is put together from its spans, with its prompt as it was admitted first", async () => {
    const part = (number: number, name: string, atS: number, attributes: Record<string, string>): SpanRecord =>
      makeSpan({
        name: `inference.${name}`,
        service: "engine",
        spanId: spanId(700 + number),
        startedAtNs: NOON_NS + BigInt(atS) * SECOND_NS,
        endedAtNs: NOON_NS + BigInt(atS + 1) * SECOND_NS,
        attributes: { "centspan.engine.request_id": "r1", "centspan.time_scale": "0.5", ...attributes },
      });
    const spans = [
      part(0, "queue", 0, {}),
      part(1, "kv.lookup", 1, {
        ...{
          "centspan.prompt.tokens": "200",
          "centspan.prefix.known_blocks": "2",
          "centspan.prefix.block_keys": "b.c",
        },
        ...{ "centspan.engine.priority": "batch", "centspan.engine.thread": "run thread" },
      }),
      // Put out of the batch, and admitted again.
      part(2, "queue", 3, {}),
      part(3, "kv.lookup", 4, { "centspan.kv.miss_blocks": "3" }),
      part(4, "decode", 5, { "centspan.decode.tokens": "12" }),
      part(5, "queue", 7, { "centspan.engine.request_id": "of which no prompt is known" }),
    ];
    const workspace = await store([...spans, ...spans]);
    expect(await test.warehouse.listEngineRequests(workspace, "engine", RANGE, 10)).toEqual([
      {
        service: "engine",
        traceId: spans[0]?.traceId,
        arrivedAtNs: NOON_NS,
        endedAtNs: NOON_NS + 6n * SECOND_NS,
        timeScale: 0.5,
        promptTokens: 200,
        outputTokens: 12,
        knownBlocks: 2,
        blockKeys: "b.c",
        priority: "batch",
        thread: "run thread",
      },
    ]);
    expect(await test.warehouse.listEngineRequests(workspace, "another", RANGE, 10)).toEqual([]);
  });
});
