/** The conformance suite of KV policies: laws for every registered one, and its slow obvious model beside it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findKvPolicy, kvPolicies } from "./index.ts";
import { capacity, history, playHistory } from "./testing/play-history.ts";
import { SLOW_MODELS } from "./testing/slow-models.ts";

describe.each(kvPolicies.map((plugin) => [plugin.id, plugin] as const))("%s", (id, plugin) => {
  it("chooses a block that may go whenever there is one", () => {
    fc.assert(
      fc.property(capacity, history, (slots, commands) => {
        for (const { chosen, mayGo } of playHistory(plugin, slots, commands)) expect(mayGo).toContain(chosen);
      }),
    );
  });

  it("is replayable: the same history, the same victims", () => {
    fc.assert(
      fc.property(capacity, history, (slots, commands) => {
        expect(playHistory(plugin, slots, commands)).toEqual(playHistory(plugin, slots, commands));
      }),
    );
  });

  it("chooses what its slow obvious model chooses", () => {
    const model = SLOW_MODELS[id];
    if (!model) throw new Error(`${id} has no slow model in testing/slow-models.ts`);
    let victims = 0;
    fc.assert(
      fc.property(capacity, history, (slots, commands) => {
        const played = playHistory(plugin, slots, commands, model);
        victims += played.length;
        expect(played.map(({ chosen }) => chosen)).toEqual(played.map(({ expected }) => expected));
      }),
      { numRuns: 300 },
    );
    expect(victims).toBeGreaterThan(1000);
  });

  it("describes itself", () => {
    expect(plugin.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(plugin.describe.length).toBeGreaterThan(20);
    expect(findKvPolicy(plugin.id)).toBe(plugin);
  });
});

it("names the known policies when asked for another", () => {
  expect(() => findKvPolicy("clock")).toThrow(/fifo, .* lru, lru-leaf/);
});

it("has unique ids", () => {
  expect(new Set(kvPolicies.map((plugin) => plugin.id)).size).toBe(kvPolicies.length);
});
