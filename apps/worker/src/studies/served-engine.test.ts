/**
 * Studies of what went through the gateway: of an engine that reports requests alone, as vLLM does, and of recorded calls. On real
 * stores, with real threads.
 */
import { randomBytes } from "node:crypto";
import { createRandom } from "@centspan/base";
import { openControl } from "@centspan/control";
import {
  EMPTY_BUCKETS,
  EMPTY_CALL,
  type RatedCall,
  type SpanRecord,
  type StudyInput,
  studyInputSchema,
} from "@centspan/model";
import { findKvPolicy } from "@centspan/policies";
import {
  createOpenLoop,
  createStepTimeModel,
  runCluster,
  type ServingRequest,
  writeBlockKeys,
} from "@centspan/serving";
import { openWarehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createStudyPass } from "./study-pass.ts";

const control = openControl({ url: inject("databaseUrl") });
const warehouse = openWarehouse({
  url: new URL(`/served_${randomBytes(8).toString("hex")}`, inject("clickhouseUrl")).href,
});
const WORKSPACE = `served-${process.pid}`;
const NOON_NS = 1_794_744_000_000_000_000n;
/** Few at a time, and cheap to have more: what a study should find. */
const ENGINE = { blockTokens: 64, capacityBlocks: 4_000, maxSequences: 2, tokenBudget: 2_048 };
const STEP_TIME = {
  ...{ stepMs: 8, decodeSequenceMs: 0.05, per1000ContextTokensMs: 0.05 },
  ...{ prefillTokenMs: 0.03, perMillionPrefillPairsMs: 0.6 },
};

/** Questions of forty people, each after a beginning of its own. */
function makeRequests(): ServingRequest[] {
  const random = createRandom(11);
  let atNs = 0;
  return Array.from({ length: 900 }, (_, at) => {
    atNs += Math.round(-Math.log(1 - random.next()) * 450e6);
    const person = random.integer(40);
    const beginning = Array.from({ length: 8 }, (_each, depth) => person * 100 + depth);
    return {
      ...{ id: `r${at}`, arrivalNs: atNs, outputTokens: 20 + random.integer(60) },
      ...{ promptTokens: 600 + random.integer(100), blockKeys: [...beginning, 10_000 + at] },
    };
  });
}

const SPAN: SpanRecord = {
  ...{ traceId: "", spanId: "", parentSpanId: "", name: "", service: "", kind: "client", status: "ok" },
  ...{ statusMessage: "", startedAtNs: 0n, endedAtNs: 0n, attributes: {}, resourceAttributes: {}, scopeName: "" },
  ...{ trusted: true, events: [], links: [] },
};
const GATEWAY_SPAN = "000000000000000a";
const ENGINE_SPAN = "000000000000000b";

function toSpans(requests: readonly ServingRequest[]): SpanRecord[] {
  const replica = { config: ENGINE, policy: findKvPolicy("lru-leaf"), stepTime: createStepTimeModel(STEP_TIME) };
  const done = runCluster({ replicas: [replica] }, createOpenLoop(requests)).requests;
  const served = new Map(done.map((one) => [one.id, one]));
  return requests.flatMap(({ id, arrivalNs, promptTokens, outputTokens, blockKeys }, at): SpanRecord[] => {
    const { firstTokenNs = 0, finishedNs = 0 } = served.get(id) ?? {};
    const traceId = (at + 1).toString(16).padStart(32, "0");
    const startedAtNs = NOON_NS + BigInt(arrivalNs);
    const endedAtNs = NOON_NS + BigInt(Math.round(finishedNs));
    const { knownBlocks, keys } = writeBlockKeys(blockKeys, 0);
    return [
      {
        ...{ ...SPAN, traceId, spanId: GATEWAY_SPAN, name: "chat m", service: "centspan-gateway" },
        ...{ startedAtNs: startedAtNs - 1_000_000n, endedAtNs },
        attributes: {
          ...{ "centspan.prefix.fingerprint": "f", "centspan.prefix.known_blocks": String(knownBlocks) },
          ...{ "centspan.prefix.block_keys": keys, "centspan.engine.priority": at % 2 === 0 ? "batch" : "interactive" },
          ...{ "gen_ai.usage.input_tokens": String(promptTokens), "gen_ai.usage.output_tokens": String(outputTokens) },
        },
      },
      {
        ...{ ...SPAN, traceId, spanId: ENGINE_SPAN, parentSpanId: GATEWAY_SPAN, name: "llm_request", service: "vllm" },
        ...{ startedAtNs, endedAtNs },
        attributes: {
          "gen_ai.latency.time_to_first_token": String((firstTokenNs - arrivalNs) / 1e9),
          "gen_ai.usage.prompt_tokens": String(promptTokens),
          "gen_ai.usage.completion_tokens": String(outputTokens),
        },
      },
    ];
  });
}

const toCall = ({ id, arrivalNs, promptTokens, outputTokens }: ServingRequest): RatedCall => ({
  ...EMPTY_CALL,
  ...{ callId: id, atNs: NOON_NS + BigInt(arrivalNs), durationNs: 1_000_000_000n, provider: "vllm", model: "m" },
  ...{ costStatus: "unpriced" as const, costUsd: null, lines: [] },
  buckets: { ...EMPTY_BUCKETS, input: promptTokens, outputText: outputTokens },
});

beforeAll(async () => {
  await Promise.all([control.migrate(), warehouse.migrate()]);
  await control.ensureWorkspace("o", { id: WORKSPACE, name: WORKSPACE });
  const requests = makeRequests();
  await warehouse.insertSpans(WORKSPACE, toSpans(requests));
  await warehouse.insertCalls(WORKSPACE, requests.map(toCall));
});
afterAll(() => Promise.all([control.close(), warehouse.close()]));

async function study(asked: object) {
  const input = studyInputSchema.parse({ kind: "search", candidates: 8, beyondSupport: true, ...asked });
  const { id } = await control.insertStudy(WORKSPACE, input satisfies StudyInput, "tests (k)");
  await createStudyPass({
    queue: control,
    stores: { warehouse, control, readAdvice: async () => [] },
    threads: 1,
  }).run();
  return control.readStudy(WORKSPACE, id);
}

it("is fitted on its requests, searched, and judged on later ones", async () => {
  const { state, result, progress } = await study({
    service: "vllm",
    config: { engine: ENGINE },
    space: { maxSequences: [24] },
  });
  expect([state, progress]).toEqual(["done", expect.stringContaining("sequences in a batch: 2 → 24")]);
  expect(result?.details.modelError).toBeLessThan(0.03);
  expect(result?.details.calibration).toMatchObject({ requests: 800 });
  expect(result?.recommendations[0]).toMatchObject({ provenance: "simulated", service: "vllm" });
}, 120_000);

it("is asked for what it does not say of itself", async () => {
  const { state, result } = await study({ service: "vllm", config: { engine: { blockTokens: 64 } } });
  expect(state).toBe("refused");
  expect(result?.refused).toMatchObject([
    {
      reason: "capacity_unknown",
      message: expect.stringContaining("engine.capacityBlocks, engine.maxSequences, engine.tokenBudget"),
    },
  ]);
});

it("of recorded calls knows their prompts and classes, where the gateway saw them", async () => {
  const { state, result } = await study({ config: { engine: ENGINE }, space: { maxSequences: [24] } });
  expect(state).toBe("done");
  expect(JSON.stringify(result?.recommendations[0])).toContain("their prompts by the gateway's keys");
});
