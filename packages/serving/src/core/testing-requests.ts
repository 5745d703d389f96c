/** For tests: small caches that are always too small, and requests that share prefixes and fit alone. */
import fc from "fast-check";
import type { ServingConfig, ServingRequest } from "../serving-types.ts";

export const someConfig: fc.Arbitrary<ServingConfig> = fc.record({
  blockTokens: fc.constantFrom(2, 4),
  capacityBlocks: fc.integer({ min: 12, max: 20 }),
  maxSequences: fc.integer({ min: 1, max: 4 }),
  tokenBudget: fc.integer({ min: 4, max: 12 }),
  chunkedPrefill: fc.boolean(),
});

/** Blocks of the same group have the same key at the same depth. */
export const someRequests: fc.Arbitrary<ServingRequest[]> = fc
  .array(
    fc.record({
      arrivalNs: fc.integer({ min: 0, max: 60 }).map((ms) => ms * 1_000_000),
      promptTokens: fc.integer({ min: 1, max: 14 }),
      outputTokens: fc.integer({ min: 1, max: 10 }),
      priority: fc.constantFrom("interactive" as const, "batch" as const),
      group: fc.integer({ min: 0, max: 2 }),
      blocks: fc.integer({ min: 0, max: 6 }),
    }),
    { maxLength: 14, size: "max" },
  )
  .map((all) =>
    all.map(({ group, blocks, ...request }, at) => ({
      ...request,
      id: `r${at}`,
      // Keys may cover at most the full blocks of prompt and output.
      blockKeys: Array.from({ length: blocks }, (_, depth) => group * 100 + depth).slice(
        0,
        Math.floor((request.promptTokens + request.outputTokens) / 4),
      ),
    })),
  );
