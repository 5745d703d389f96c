import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMooncake } from "./read-mooncake.ts";
import type { TraceRequest } from "./trace-request.ts";
import { writeMooncake } from "./write-mooncake.ts";

async function readBack(requests: readonly TraceRequest[], blockTokens: number): Promise<TraceRequest[]> {
  const read: TraceRequest[] = [];
  const text = [...writeMooncake(requests, { blockTokens })].join("");
  for await (const request of readMooncake([Buffer.from(text)])) read.push(request);
  return read;
}

/** Which earlier requests share how many leading blocks: all that a cache sees. */
const describeSharing = (requests: readonly TraceRequest[], step: number): number[][] =>
  requests.map(({ blockKeys }, at) =>
    requests.slice(0, at).map((other) => {
      const differing = blockKeys.findIndex((key, depth) => other.blockKeys[depth] !== key);
      const shared = differing === -1 ? blockKeys.length : differing;
      return Math.floor(shared / step);
    }),
  );

describe("a workload to share", () => {
  const chains = fc.array(
    fc.record({ chat: fc.integer({ min: 0, max: 3 }), blocks: fc.integer({ min: 1, max: 30 }), gapMs: fc.nat(5_000) }),
    { minLength: 1, maxLength: 20 },
  );

  it("reads back as the same arrivals, lengths and sharing, and names no key", async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.constantFrom(64, 128, 512), async (list, blockTokens) => {
        const step = 512 / blockTokens;
        let atMs = 700;
        const requests = list.map(({ chat, blocks, gapMs }): TraceRequest => {
          atMs += gapMs;
          const full = blocks * step;
          return {
            arrivalNs: atMs * 1e6,
            promptTokens: full * blockTokens,
            outputTokens: blocks,
            blockKeys: Array.from({ length: full }, (_, depth) => `secret-${chat}-${depth}`),
          };
        });
        const read = await readBack(requests, blockTokens);
        expect(read.map(({ promptTokens, outputTokens }) => [promptTokens, outputTokens])).toEqual(
          requests.map(({ promptTokens, outputTokens }) => [promptTokens, outputTokens]),
        );
        expect(read.map(({ arrivalNs }) => arrivalNs)).toEqual(
          requests.map(({ arrivalNs }) => arrivalNs - (requests[0]?.arrivalNs ?? 0)),
        );
        expect(describeSharing(read, 1)).toEqual(describeSharing(requests, step));
        expect([...writeMooncake(requests, { blockTokens })].join("")).not.toContain("secret");
      }),
      { numRuns: 40 },
    );
  });

  it("refuses blocks that don't make up the format's", () => {
    expect(() => [...writeMooncake([], { blockTokens: 100 })]).toThrow(/blocks of 100 tokens/);
  });
});
