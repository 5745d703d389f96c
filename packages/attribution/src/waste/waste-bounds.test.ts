/** What holds of waste whatever spans say: spans come from anybody. */
import { sumDecimals } from "@centspan/base";
import fc from "fast-check";
import { expect, it } from "vitest";
import { planRun, priceOf } from "../testing/plan-run.ts";
import { wasteAttributes } from "./attributes.ts";
import { findWaste } from "./find-waste.ts";

/** What JSON and other emitters may put where a count is asked for. */
const NO_COUNTS = ['["a"]', "[-1, 2.5]", "1.5", "-3", "1e300", "NaN", "Infinity", "[1e300]", "null"];
const OFFERED = { "centspan.tools.offered": '["a", "b"]', "centspan.tools.offered_tokens": "[100, 200]" };
const BROKEN = {
  "centspan.prefix.kept": "false",
  "centspan.prefix.known_tokens": "10000",
  "centspan.prefix.diverged_section": "tools",
  "centspan.prefix.diverged_path": "tools[1]",
  "centspan.prefix.change": "tool_order",
};
const first = { buckets: { input: 10_000, outputText: 100 } };
const uncached = { buckets: { input: 11_000, outputText: 100 } };

it("never adds up to more than a call cost, nor to more time than the run took, whatever spans say", () => {
  const value = fc.oneof(
    fc.constantFrom("true", "false", "tools", "system", "f", "hold", "[9000]", ...NO_COUNTS),
    fc.nat(20_000).map(String),
  );
  const attributes = fc.dictionary(fc.constantFrom(...wasteAttributes), value);
  const count = fc.nat(20_000);
  const plan = fc.record({
    buckets: fc.record({ input: count, cacheRead: count, cacheWrite5m: count, outputText: count }),
    attributes,
    status: fc.constantFrom("unset" as const, "error" as const),
    stages: fc.dictionary(
      fc.constantFrom("api.tokenize", "api.safety", "inference.kv.lookup", "inference.prefill", "inference.decode"),
      attributes,
    ),
  });
  const runs = fc.tuple(fc.array(plan, { maxLength: 6 }), fc.constantFrom("failed" as const, "passed" as const, null));
  fc.assert(
    fc.property(runs, ([plans, outcome]) => {
      const run = planRun(plans, outcome);
      const items = findWaste(run, priceOf);
      for (const { callId, costUsd } of run.calls) {
        const taken = sumDecimals(items.filter((item) => item.callId === callId).map((item) => item.costUsd));
        expect(items.every((item) => item.costUsd.gte("0") && item.seconds >= 0)).toBe(true);
        expect(taken.lte(costUsd ?? "0")).toBe(true);
        if (outcome === "failed") expect(taken.eq(costUsd ?? "0")).toBe(true);
      }
      expect(new Set(items.map(({ itemId }) => itemId)).size).toBe(items.length);
      expect(items.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(plans.length * 10);
    }),
  );
});

it.each(NO_COUNTS)("takes %s for no count, wherever a span says it", (said) => {
  for (const name of wasteAttributes) {
    const odd = { ...BROKEN, ...OFFERED, [name]: said };
    const run = planRun([
      { ...first, attributes: odd },
      { ...uncached, attributes: odd },
      { ...uncached, attributes: odd },
    ]);
    expect(() => findWaste(run, priceOf), name).not.toThrow();
  }
});
