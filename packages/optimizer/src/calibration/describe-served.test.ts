/** Against an engine whose step times are known: it serves on virtual time, and says of each request what vLLM says. */
import type { ServedRequest } from "@centspan/model";
import { findKvPolicy } from "@centspan/policies";
import {
  createOpenLoop,
  createStepTimeModel,
  runCluster,
  type ServingRequest,
  writeBlockKeys,
} from "@centspan/serving";
import { describe, expect, it } from "vitest";
import { BLOCK_TOKENS, createSettings, createSyntheticTraffic, STEP_TIME } from "../testing/synthetic-traffic.ts";
import { readEngineRequests } from "../traffic/read-engine-requests.ts";
import { describeServed } from "./describe-served.ts";

const ENGINE = { blockTokens: 16, capacityBlocks: 6_000, maxSequences: 24, tokenBudget: 2_048 };
const START_NS = 1_794_744_000_000_000_000n;

function serve(count: number, replicas = 1): ServedRequest[] {
  const traffic = createSyntheticTraffic({ seed: 3, requests: count, perS: 6 * replicas });
  if (traffic.kind !== "open") throw new Error("no arrivals");
  const replica = {
    config: { ...ENGINE, blockTokens: BLOCK_TOKENS, capacityBlocks: ENGINE.capacityBlocks / 4 },
    policy: findKvPolicy("lru-leaf"),
    stepTime: createStepTimeModel(STEP_TIME),
  };
  // Each by itself: what reached another one says nothing of its queue.
  const shares = Array.from({ length: replicas }, (_, at) => traffic.requests.filter((_one, n) => n % replicas === at));
  return shares
    .flatMap((requests, at) => toServed(requests, replica, `replica-${at}`))
    .toSorted((a, b) => Number(a.arrivedAtNs - b.arrivedAtNs));
}

function toServed(
  requests: readonly ServingRequest[],
  replica: Parameters<typeof runCluster>[0]["replicas"][number],
  name: string,
): ServedRequest[] {
  const done = runCluster({ replicas: [replica] }, createOpenLoop(requests));
  const byId = new Map(done.requests.map((one) => [one.id, one]));
  return requests.map((request) => {
    const { firstTokenNs = 0, finishedNs = 0 } = byId.get(request.id) ?? {};
    const { knownBlocks, keys } = writeBlockKeys(request.blockKeys, 0);
    const at = (ns: number): bigint => START_NS + BigInt(Math.round(ns));
    return {
      ...{ service: "vllm", replica: name, traceId: request.id, timeScale: 1, priority: "interactive", thread: "" },
      ...{ askedAtNs: null, arrivedAtNs: at(request.arrivalNs) },
      ...{ firstTokenAtNs: at(firstTokenNs), endedAtNs: at(finishedNs) },
      ...{ promptTokens: request.promptTokens, outputTokens: request.outputTokens, knownBlocks, blockKeys: keys },
    };
  });
}

function describeBy(served: readonly ServedRequest[], engine: Partial<typeof ENGINE> = ENGINE) {
  const { priorities: _, ...config } = createSettings({ engine, replicas: 1 });
  const { requests } = readEngineRequests(served, { blockTokens: config.engine.blockTokens, keyTokens: BLOCK_TOKENS });
  return describeServed("vllm", served, requests, { config, stated: { engine } });
}

describe("an engine that reports requests alone", () => {
  it("is replayed within 3% on requests that were not fitted, with what was observed", () => {
    const { config, modelError, refusals, calibration } = describeBy(serve(600));
    expect(refusals).toEqual([]);
    expect(config).toMatchObject({ replicas: 1, engine: ENGINE });
    expect(modelError).toBeLessThan(0.03);
    expect(calibration?.requests).toBe(600);
    expect(calibration?.support.sequences[1]).toBeGreaterThan(4);
    expect(calibration?.support.sequences[1]).toBeLessThanOrEqual(ENGINE.maxSequences);
  });

  it("is fitted on one of several replicas, and counts them all", () => {
    const { config, calibration } = describeBy(serve(400, 2));
    expect([config?.replicas, calibration?.requests]).toEqual([2, 200]);
  });

  it("is refused by name where limits are not stated, where they are wrong, and where there is too little", () => {
    const served = serve(400);
    const { blockTokens, tokenBudget } = ENGINE;
    expect(describeBy(served, { blockTokens, tokenBudget }).refusals).toMatchObject([
      { reason: "capacity_unknown", message: expect.stringMatching(/engine\.capacityBlocks, engine\.maxSequences as/) },
    ]);
    const wrong = describeBy(served, { ...ENGINE, maxSequences: 3 });
    expect([wrong.config, wrong.refusals[0]?.reason]).toEqual([null, "calibration_failed"]);
    expect(describeBy(served.slice(0, 40)).refusals).toMatchObject([
      { reason: "calibration_failed", message: expect.stringContaining("fewer than 30 requests") },
    ]);
  });
});
