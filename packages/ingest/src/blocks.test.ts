import fc from "fast-check";
import protobuf from "protobufjs";
import { assert, describe, expect, it } from "vitest";
import { type Admission, BadBody, BlockFull } from "./admission.ts";
import { type BlockBuilder, createBlockBuilder } from "./block-builder.ts";
import { arbitraryMessage } from "./testing/arbitrary-message.ts";
import { expectLogs, expectMetrics, expectSpans } from "./testing/expected-rows.ts";
import { REQUEST_TYPES } from "./testing/otlp-schema.ts";
import { type NativeRow, readNative } from "./testing/read-native.ts";

const SUBJECTS = [
  { signal: "traces", table: "spans", expectRows: expectSpans },
  { signal: "logs", table: "logs", expectRows: expectLogs },
  { signal: "metrics", table: "metrics", expectRows: expectMetrics },
] as const;

type Changes = { edits: { at: number; byte: number }[]; end: number | null };
const CHANGES: fc.Arbitrary<Changes> = fc.record({
  edits: fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { maxLength: 3 }),
  end: fc.option(fc.nat(), { freq: 3 }),
});
/** The same copies each time; other seeds and more of them are for looking further. */
const SEED = Number(process.env.CENTSPAN_FUZZ_SEED ?? 20261130);
const COPIES = Number(process.env.CENTSPAN_FUZZ_COPIES ?? 400);

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
        // What the hash of content comes to is the store's to say: packages/warehouse asks it.
        expect((await readNative(block)).map(({ content_hash, ...row }) => row)).toEqual(rows);
      }),
      { numRuns: 150 },
    );
  });

  const groupType = type.fieldsArray[0]?.resolve().resolvedType;
  assert(groupType instanceof protobuf.Type);
  const group = fc.tuple(arbitraryMessage(groupType, 7), fc.array(fc.constantFrom(...PAIRS), { maxLength: 4 }));
  const groups = fc.array(group, { minLength: 1, maxLength: 3 }).map((all) =>
    // A resource that comes in pieces is one.
    Buffer.concat(
      all.map(([{ plain }, pairs]) => {
        const encoded = groupType.encode(groupType.fromObject(plain)).finish();
        return wrap(Buffer.concat([encoded, wrap(Buffer.concat(pairs), 1)]), 1);
      }),
    ),
  );

  /** Asks for one block of all of them, whatever is in the builder beside its rows. */
  async function expectRowsOfEach(builder: BlockBuilder, bodies: readonly Uint8Array[]): Promise<void> {
    const rows: NativeRow[] = [];
    for (const one of bodies) {
      const alone = createBlockBuilder(table);
      expect(tryAdd(builder, one)).toEqual(tryAdd(alone, one));
      if (alone.rows > 0) rows.push(...(await readNative(alone.take())));
    }
    expect(await readNative(builder.take())).toEqual(rows);
  }

  it("hold what each of their bodies brings alone, whatever was refused before it", async () => {
    const steps = fc.array(
      fc.tuple(groups, CHANGES).map(([bytes, changes]) => changeBytes(bytes, changes)),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(steps, (bodies) => expectRowsOfEach(createBlockBuilder(table), bodies)),
      { numRuns: 150 },
    );
  });

  it("hold it too in a builder that read hundreds of changed copies of a few bodies", async () => {
    const builder = createBlockBuilder(table);
    const originals = fc.sample(groups, { numRuns: 5, seed: SEED });
    const copies = fc.sample(CHANGES, { numRuns: COPIES, seed: SEED }).map((changes, i) => {
      const original = originals[i % originals.length] ?? Buffer.alloc(0);
      return changeBytes(Buffer.from(original), changes);
    });
    for (let at = 0; at < copies.length; at += 40) {
      await expectRowsOfEach(builder, [...copies.slice(at, at + 40), ...originals]);
    }
  });
});

/** Attributes of a resource: a key that comes again, long texts in more bytes than characters, and what is refused. */
const PAIRS: readonly Buffer[] = [
  pair("k", wrap(Buffer.from("é".repeat(90)), 1)),
  pair("service.name", wrap(Buffer.from("é"), 1)),
  pair("k", wrap(Buffer.from([0xff]), 1)),
  // A text that is a varint.
  pair("k", Buffer.from([0x08, 0x01])),
];

function pair(key: string, value: Buffer): Buffer {
  return wrap(Buffer.concat([wrap(Buffer.from(key), 1), wrap(value, 2)]), 1);
}

/** Some of its bytes are others, and it may break off. */
function changeBytes(bytes: Buffer, { edits, end }: Changes): Buffer {
  for (const { at, byte } of edits) if (bytes.length > 0) bytes[at % bytes.length] = byte;
  return end === null ? bytes : bytes.subarray(0, end % (bytes.length + 1));
}

function tryAdd(builder: BlockBuilder, body: Uint8Array): Admission | string {
  try {
    return builder.add("w", body);
  } catch (thrown) {
    if (thrown instanceof BadBody) return thrown.message;
    throw thrown;
  }
}

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
    const brokenOff = wrap(wrap(Buffer.from([0x12, 0x7f]), 2), 1);
    expect(() => builder.add("w", brokenOff)).toThrow(BadBody);
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
