import type { EngineRequest } from "@centspan/model";
import { simulationConfigSchema } from "@centspan/serving";
import { expect, it } from "vitest";
import { fromAsked } from "./recorded-traffic.ts";

const KEY_TOKENS = 64;
const config = simulationConfigSchema.parse({ engine: { blockTokens: 32, capacityBlocks: 100 } });
const asked = (atS: number, blockKeys: string, more: Partial<EngineRequest> = {}): EngineRequest => ({
  ...{ service: "centspan-gateway", traceId: "t", timeScale: 1, promptTokens: 128, outputTokens: 5 },
  ...{ arrivedAtNs: BigInt(atS) * 1_000_000_000n, endedAtNs: BigInt(atS + 1) * 1_000_000_000n },
  ...{ knownBlocks: 0, blockKeys, priority: "interactive", thread: "" },
  ...more,
});
const read = (seen: readonly EngineRequest[], calls = seen.length, given = {}) =>
  fromAsked(seen, { requests: Array(calls) }, config, { concurrent: null, keyTokens: KEY_TOKENS, ...given });

it("knows of calls that the gateway saw what their prompts share, across sessions, and who waits for them", () => {
  const found = read([asked(0, "a.b"), asked(5, "a.c", { thread: "s", priority: "batch" })]);
  if (found?.traffic.kind !== "open") return expect.fail("no arrivals");
  const [first, second] = found.traffic.requests;
  expect(second?.blockKeys.slice(0, 2)).toEqual(first?.blockKeys.slice(0, 2));
  expect(second?.blockKeys[2]).not.toEqual(first?.blockKeys[2]);
  expect(found.traffic.requests.map(({ priority }) => priority)).toEqual(["interactive", "batch"]);
  expect(found.evidence).toMatchObject({ requests: 2, withoutFingerprints: 0, capacityBlocks: 100 });
});

it("has so many sessions at a time where that is asked and sessions go on", () => {
  const turns = [0, 10, 20].map((atS) => asked(atS, "a", { thread: "s" }));
  expect(read(turns, 3, { concurrent: 4 })?.traffic).toMatchObject({ kind: "closed", concurrent: 4 });
  expect(read(turns.slice(0, 1), 1, { concurrent: 4 })?.traffic.kind).toBe("open");
});

it("does not speak for calls that it did not see, or whose blocks are no multiple of the engine's", () => {
  const seen = Array.from({ length: 95 }, (_, at) => asked(at, `k${at}`));
  expect(read(seen, 100)).not.toBeNull();
  expect(read(seen, 101)).toBeNull();
  expect(read(seen.map((one) => ({ ...one, blockKeys: "" })))).toBeNull();
  expect(read([])).toBeNull();
  expect(read(seen, 95, { keyTokens: 48 })).toBeNull();
});
