import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadBody } from "./admission.ts";
import { createBlockBuilder } from "./block-builder.ts";
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
