import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBlockBuilder } from "./block-builder.ts";
import { otlpType, REQUEST_TYPES } from "./testing/otlp-schema.ts";
import { readNative } from "./testing/read-native.ts";

const ID = { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 1) };
type Attribute = { key: string; value: { stringValue: string } | { doubleValue: number } };
const attribute = (key: string, text: string) => ({ key, value: { stringValue: text } });

function encode(spans: { attributes: Attribute[] }[], resource: Attribute[] = []): Uint8Array {
  const type = REQUEST_TYPES.traces;
  const scopeSpans = [{ spans: spans.map((span) => ({ ...ID, ...span })) }];
  return type.encode(type.fromObject({ resourceSpans: [{ resource: { attributes: resource }, scopeSpans }] })).finish();
}

async function attributesIn(body: Uint8Array): Promise<unknown[]> {
  const builder = createBlockBuilder("spans");
  builder.add("w", body);
  return (await readNative(builder.take())).map((row) => row.attributes);
}

describe("columns", () => {
  it.each([255, 256, 257, 65_535, 65_536, 65_537])("hold a dictionary of %i keys", async (keys) => {
    const attributes = Array.from({ length: keys }, (_, i) => attribute(`key-${i}`, String(i)));
    const expected = Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
    expect(await attributesIn(encode([{ attributes }]))).toEqual([expected]);
  });

  it.each([0, 3, 4, 5, 127, 128, 191, 192, 193, 16_383, 16_384, 70_000])("hold texts of %i bytes", async (bytes) => {
    const ascii = "x".repeat(bytes);
    const wide = `${"x".repeat(Math.max(0, bytes - 2))}é`;
    const attributes = [attribute("ascii", ascii), attribute("wide", wide)];
    expect(await attributesIn(encode([{ attributes }, { attributes }]))).toEqual([
      { ascii, wide },
      { ascii, wide },
    ]);
  });

  it("hold numbers as JavaScript writes them, short decimals too", async () => {
    const decimal = fc
      .tuple(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), fc.nat(14))
      .map(([digits, places]) => digits / 10 ** places || 0);
    const edges = [0.001, 0.0009999, 999_999.999999999, 1e6, 0.1 + 0.2, 1 / 3, 5e-324, 1e21, -1.5, 100, 0.1];
    const values = [...edges, ...fc.sample(decimal, { numRuns: 5_000, seed: 1 })];
    const attributes = values.map((doubleValue, i) => ({ key: String(i), value: { doubleValue } }));
    const expected = Object.fromEntries(values.map((value, i) => [String(i), String(value)]));
    expect(await attributesIn(encode([{ attributes }]))).toEqual([expected]);
  });

  it("keep the last value of a repeated key, and the values of the rows around", async () => {
    const once = [attribute("a", "1"), attribute("b", "2")];
    const twice = [attribute("a", "first"), attribute("b", "2"), attribute("a", "last"), attribute("a", "very last")];
    expect(await attributesIn(encode([{ attributes: once }, { attributes: twice }, { attributes: once }]))).toEqual([
      { a: "1", b: "2" },
      { a: "very last", b: "2" },
      { a: "1", b: "2" },
    ]);
  });

  it("give each row the attributes of its resource, also after a refused span", async () => {
    const type = REQUEST_TYPES.traces;
    const builder = createBlockBuilder("spans");
    for (const host of ["one", "two"]) {
      const resource = { attributes: [attribute("service.name", `of ${host}`), attribute("host", host)] };
      const spans = [{ spanId: ID.spanId }, ID, ID, { traceId: ID.traceId }, ID];
      const message = type.fromObject({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
      expect(builder.add("w", type.encode(message).finish())).toMatchObject({ accepted: 3, rejected: 2 });
    }
    const rows = await readNative(builder.take());
    expect(rows.map(({ service, resource_attributes }) => [service, resource_attributes])).toEqual(
      ["one", "two"].flatMap((host) => {
        const row = [`of ${host}`, { "service.name": `of ${host}`, host }];
        return [row, row, row];
      }),
    );
  });

  it("start anew after each block", async () => {
    const builder = createBlockBuilder("spans");
    for (const text of ["first", "second"]) {
      builder.add("w", encode([{ attributes: [attribute(text, text)] }]));
      expect((await readNative(builder.take())).map((row) => row.attributes)).toEqual([{ [text]: text }]);
    }
    expect(builder.rows).toBe(0);
  });

  it("refuse keys and texts that are no UTF-8, each alone", () => {
    const keyValue = otlpType("KeyValue");
    const good = Buffer.from(keyValue.encode(keyValue.fromObject(attribute("key", "text"))).finish());
    for (const place of ["key", "text"]) {
      const body = Buffer.from(encode([{ attributes: [attribute("key", "text")] }, { attributes: [] }]));
      body[body.indexOf(good) + good.indexOf(place)] = 0xff;
      const builder = createBlockBuilder("spans");
      const { accepted, rejected, reasons } = builder.add("w", body);
      expect({ accepted, rejected }).toEqual({ accepted: 1, rejected: 1 });
      const field = place === "key" ? "key" : "value.stringValue";
      expect(reasons[0]?.message).toBe(`resourceSpans[0].scopeSpans[0].spans[0].attributes[0].${field}: must be UTF-8`);
    }
  });
});
