/** Whole disks of invented histories, of some seeds: they come to what was invented, meter by meter. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateHome } from "../bench/import-local/generate.ts";
import { callsOf, createDisk, importHome } from "./run-case.ts";

describe("a disk of invented histories", () => {
  it("comes to what was invented, and again to nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
        const disk = createDisk();
        try {
          const tally = generateHome(disk.home, 2, seed);
          const { spans, receipt, state } = await importHome(disk.home);
          const calls = callsOf(spans);
          const sum = (of: (buckets: (typeof calls)[number]["buckets"]) => number): number =>
            calls.reduce((total, { buckets }) => total + of(buckets), 0);
          expect({
            calls: calls.length,
            turns: receipt.turns,
            toolRuns: receipt.toolRuns,
            input: sum(({ input }) => input),
            cacheRead: sum(({ cacheRead }) => cacheRead),
            cacheWrite5m: sum(({ cacheWrite5m }) => cacheWrite5m),
            cacheWrite1h: sum(({ cacheWrite1h }) => cacheWrite1h),
            outputText: sum(({ outputText }) => outputText),
            outputReasoning: sum(({ outputReasoning }) => outputReasoning),
          }).toEqual({
            calls: tally.calls,
            turns: tally.turns,
            toolRuns: tally.toolRuns,
            input: tally.input,
            cacheRead: tally.cacheRead,
            cacheWrite5m: tally.cacheWrite5m,
            cacheWrite1h: tally.cacheWrite1h,
            outputText: tally.outputText,
            outputReasoning: tally.outputReasoning,
          });
          const ids = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
          expect(ids.size).toBe(spans.length);
          const again = await importHome(disk.home, state);
          expect([again.spans.length, again.receipt.files]).toEqual([0, 0]);
        } finally {
          disk.remove();
        }
      }),
      { numRuns: 12 },
    );
  });
});
