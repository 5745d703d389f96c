import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadBody } from "./admission.ts";
import { createBlockBuilder } from "./block-builder.ts";
import { BlockFull } from "./row-writer.ts";
import { arbitraryMessage } from "./testing/arbitrary-message.ts";
import { expectLogs, expectMetrics, expectSpans } from "./testing/expected-rows.ts";
import { REQUEST_TYPES } from "./testing/otlp-schema.ts";
import { readNative } from "./testing/read-native.ts";

const SUBJECTS = [
  { signal: "traces", table: "spans", expectRows: expectSpans },
  { signal: "logs", table: "logs", expectRows: expectLogs },
  { signal: "metrics", table: "metrics", expectRows: expectMetrics },
] as const;

describe.each(SUBJECTS)("blocks of $signal", ({ signal, table, expectRows }) => {
  const type = REQUEST_TYPES[signal];
  const body = arbitraryMessage(type, 8).map(({ plain }) => type.encode(type.fromObject(plain)).finish());

  it("hold the rows that the plainest reading of their requests gives", async () => {
    const builder = createBlockBuilder(table);
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 3 }), async (bodies) => {
        const expected = bodies.map((one, i) => expectRows(`w${i}`, one));
        bodies.forEach((one, i) => {
          const { accepted, rejected } = builder.add(`w${i}`, one);
          expect({ accepted, rejected }).toEqual({
            accepted: expected[i]?.rows.length,
            rejected: expected[i]?.rejected,
          });
        });
        const block = builder.take();
        const rows = expected.flatMap((one) => one.rows);
        expect(block.rows).toBe(rows.length);
        expect(await readNative(block)).toEqual(rows);
      }),
      { numRuns: 150 },
    );
  });

  it("take a changed body, or refuse it whole and stay as they were", async () => {
    await fc.assert(
      fc.asyncProperty(body, body, fc.nat(), fc.nat(), fc.nat(255), async (before, changed, cut, at, byte) => {
        const bytes = Buffer.from(changed.subarray(0, cut % 3 === 0 ? cut % (changed.length + 1) : changed.length));
        if (bytes.length > 0) bytes[at % bytes.length] = byte;
        const builder = createBlockBuilder(table);
        const { accepted } = builder.add("w", before);
        let taken = accepted;
        try {
          taken += builder.add("w", bytes).accepted;
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(BadBody);
        }
        const rows = await readNative(builder.take());
        expect(rows).toHaveLength(taken);
        expect(rows.slice(0, accepted)).toEqual(expectRows("w", before).rows);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what a block comes to is bounded, however few bytes of bodies ask for it", () => {
  const named = { name: "m", sum: { dataPoints: Array.from({ length: 2_000 }, () => ({ asInt: "1" })) } };
  const resource = { attributes: [{ key: "k", value: { stringValue: "x".repeat(200_000) } }] };
  const spans = Array.from({ length: 2_000 }, (_, i) => ({
    traceId: Buffer.alloc(16, 1),
    spanId: Buffer.from((i + 1).toString(16).padStart(16, "0"), "hex"),
  }));
  const encode = (signal: (typeof SUBJECTS)[number]["signal"], request: Record<string, unknown>): Uint8Array => {
    const type = REQUEST_TYPES[signal];
    return type.encode(type.fromObject(request)).finish();
  };
  const small = encode("traces", { resourceSpans: [{ scopeSpans: [{ spans: spans.slice(0, 1) }] }] });

  it.each([
    [
      "a resource in each of its rows",
      "spans",
      encode("traces", { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
    ],
    [
      "a description in each of its points",
      "metrics",
      encode("metrics", {
        resourceMetrics: [{ scopeMetrics: [{ metrics: [{ ...named, description: "x".repeat(200_000) }] }] }],
      }),
    ],
    ["rows of two bytes", "logs", wrap(wrap(Buffer.from("1200".repeat(1_200_000), "hex"), 2), 1)],
  ] as const)("%s", (_what, table, body) => {
    const builder = createBlockBuilder(table);
    expect(() => builder.add("w", body)).toThrow(BadBody);
    expect(builder.rows).toBe(0);
    expect(builder.add("w", table === "spans" ? small : new Uint8Array()).rejected).toBe(0);
  });

  it("and a body that may fit into the next one can be brought again", async () => {
    const body = encode("traces", { resourceSpans: [{ resource, scopeSpans: [{ spans: spans.slice(0, 900) }] }] });
    const builder = createBlockBuilder("spans");
    builder.add("w", body);
    expect(() => builder.add("w", body)).toThrow(BlockFull);
    expect(builder.take().rows).toBe(900);
    expect(builder.add("w", body).accepted).toBe(900);
  });

  it("refused records leave nothing behind", () => {
    const builder = createBlockBuilder("spans");
    const without = builder.add("w", small);
    builder.take();
    for (let i = 0; i < 5; i++) {
      const attributes = [{ key: `${i}`.padEnd(5_000_000, "k"), value: { stringValue: "v" } }];
      const body = encode("traces", { resourceSpans: [{ scopeSpans: [{ spans: [{ attributes }] }] }] });
      expect(builder.add("w", body)).toMatchObject({ accepted: 0, rejected: 1 });
    }
    builder.add("w", small);
    expect(without.accepted).toBe(1);
    expect(builder.take().bytes).toBeLessThan(10_000);
  });
});

/** The bytes as one length-delimited field of a message. */
function wrap(bytes: Uint8Array, field: number): Buffer {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    if (rest <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([field * 8 + 2, ...length]), bytes]);
}
