import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SPAN_KINDS } from "@centspan/model";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeProtobuf } from "../testing/encode-protobuf.ts";
import { decodeJson } from "./decode-json.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { BadValue, type DecodedTraces } from "./decoded-traces.ts";

const TRACE_ID = "0123456789abcdef0123456789abcdef";
const span = (fields: object): object => ({ traceId: TRACE_ID, spanId: "00000000000000a1", name: "n", ...fields });
const body = (...spans: object[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "edge" } }] },
        scopeSpans: [{ scope: { name: "s" }, spans }],
      },
    ],
  });
const plain = ({ spans, rejected, reasons }: DecodedTraces): DecodedTraces => ({ spans, rejected, reasons });
const fromJson = (json: string): DecodedTraces => plain(decodeJson(Buffer.from(json)));
const fromProtobuf = (json: string): DecodedTraces => plain(decodeProtobuf(encodeProtobuf(json)));
const attribute = (value: unknown): object => span({ attributes: [{ key: "k", value }] });
const nest = (levels: number): object =>
  levels === 0 ? { intValue: 1 } : { arrayValue: { values: [nest(levels - 1)] } };

describe("attribute values, the same from both encodings", () => {
  const nested = {
    kvlistValue: { values: [{ key: "a", value: { arrayValue: { values: [{ intValue: "1" }, {}] } } }] },
  };
  it.each([
    ["string", { stringValue: "a\n\u0000é😀" }, "a\n\u0000é😀"],
    ["empty string", { stringValue: "" }, ""],
    ["false is a value", { boolValue: false }, "false"],
    ["zero is a value", { intValue: 0 }, "0"],
    ["largest integer", { intValue: "9223372036854775807" }, "9223372036854775807"],
    ["smallest integer", { intValue: "-9223372036854775808" }, "-9223372036854775808"],
    ["double", { doubleValue: 0.1 }, "0.1"],
    ["not a number", { doubleValue: "NaN" }, "NaN"],
    ["infinite", { doubleValue: "-Infinity" }, "-Infinity"],
    ["null is not set", { doubleValue: null }, ""],
    ["bytes", { bytesValue: "AP8Q" }, "AP8Q"],
    ["nothing", {}, ""],
    ["empty array", { arrayValue: {} }, "[]"],
    ["nested", nested, '{"a":[1,null]}'],
    ["nested infinity", { arrayValue: { values: [{ doubleValue: "Infinity" }] } }, '["Infinity"]'],
    ["nested big integer", { arrayValue: { values: [{ intValue: "9223372036854775807" }] } }, "[9223372036854775807]"],
  ])("%s", (_why, value, expected) => {
    const json = body(attribute(value));
    expect(fromJson(json).spans[0]?.attributes).toEqual({ k: expected });
    expect(fromProtobuf(json)).toEqual(fromJson(json));
  });

  it("keeps digits of integers that JSON writes as numbers", () => {
    const json = body(attribute({ intValue: 1 })).replace('"intValue":1', '"intValue":9007199254740993');
    expect(fromJson(json.replace('"n"', '"n","startTimeUnixNano":1790000000000000001')).spans[0]).toMatchObject({
      attributes: { k: "9007199254740993" },
      startedAtNs: 1790000000000000001n,
    });
  });

  it("leaves digits inside strings alone", () => {
    const text = 'a "12345678901234567890" \\ 12345678901234567890';
    expect(fromJson(body(attribute({ stringValue: text }))).spans[0]?.attributes).toEqual({ k: text });
  });

  it("takes __proto__ as a key like any other", () => {
    const json = body(span({ attributes: [{ key: "__proto__", value: { stringValue: "x" } }] }));
    for (const { spans } of [fromJson(json), fromProtobuf(json)]) {
      expect(Object.entries(spans[0]?.attributes ?? {})).toEqual([["__proto__", "x"]]);
    }
  });
});

describe("a bad span refuses itself and names the field", () => {
  const good = span({ spanId: "00000000000000ff" });
  const MAX = "18446744073709551615";
  it.each([
    ["no span id", span({ spanId: "" }), "spans[0].spanId: must be 8 bytes"],
    ["zero trace id", span({ traceId: "0".repeat(32) }), "spans[0].traceId: must be 16 bytes"],
    ["short trace id", span({ traceId: "abcd" }), "spans[0].traceId: must be 16 bytes"],
    ["short parent", span({ parentSpanId: "abcd" }), "spans[0].parentSpanId: must be 8 bytes"],
    ["past the year 2262", span({ endTimeUnixNano: MAX }), "spans[0].endTimeUnixNano: must be nanoseconds"],
    ["bad link", span({ links: [{ traceId: "ab", spanId: "cd" }] }), "spans[0].links[0].traceId: must be 16"],
    ["too deep", attribute(nest(40)), "is nested deeper than 32 levels"],
  ])("%s", (_why, bad, reason) => {
    const json = body(bad, good);
    for (const decoded of [fromJson(json), fromProtobuf(json)]) {
      expect(decoded.spans.map((kept) => kept.spanId)).toEqual(["00000000000000ff"]);
      expect(decoded.rejected).toBe(1);
      expect(decoded.reasons[0]).toContain("resourceSpans[0].scopeSpans[0].spans[0]");
      expect(decoded.reasons[0]).toContain(reason);
    }
  });

  it.each([
    ["attributes as an object", span({ attributes: { a: "b" } }), "attributes: must be an array"],
    ["a span that is text", "span", "spans[0]: must be an object"],
    ["id that is not hex", span({ spanId: "zz000000000000a1" }), "spanId: must be 8 bytes"],
    ["unknown kind name", span({ kind: "SPAN_KIND_X" }), "kind: must be a number or one of SPAN_KIND_*"],
    ["time as text", span({ startTimeUnixNano: "soon" }), "startTimeUnixNano: must be a whole number"],
    ["two values in one", attribute({ intValue: 1, stringValue: "" }), "value: holds stringValue and intValue"],
    ["integer beyond 64 bits", attribute({ intValue: "9223372036854775808" }), "intValue: must fit 64 bits"],
    ["half a surrogate pair", attribute({ stringValue: "\ud800" }), "must not hold half a surrogate pair"],
  ])("JSON: %s", (_why, bad, reason) => {
    const decoded = fromJson(
      JSON.stringify(JSON.parse(body(good)), (key, value) => (key === "spans" ? [bad, good] : value)),
    );
    expect([decoded.spans.length, decoded.rejected]).toEqual([1, 1]);
    expect(decoded.reasons[0]).toContain(reason);
  });

  it("a resource that can't be read refuses its spans and no others", () => {
    const [other] = JSON.parse(body(good)).resourceSpans;
    const bad = { ...other, resource: { attributes: [{ key: "k", value: nest(40) }] } };
    const json = JSON.stringify({ resourceSpans: [bad, other] });
    for (const decoded of [fromJson(json), fromProtobuf(json)]) {
      expect([decoded.spans.length, decoded.rejected]).toEqual([1, 1]);
      expect(decoded.reasons[0]).toMatch(/^resourceSpans\[0\]\.resource\.attributes\[0\]\.value/);
    }
  });
});

describe("a body that is not what it says", () => {
  it.each([
    ["not JSON", "{", "is not valid JSON"],
    ["a list", "[]", "must be a JSON object"],
    ["another signal", '{"resourceLogs":[]}', "does not belong at this path"],
    ["spans that are no list", '{"resourceSpans":{}}', "must be an array"],
  ])("JSON: %s", (_why, text, problem) => expect(() => fromJson(text)).toThrow(problem));

  it("JSON that is not UTF-8", () => {
    expect(() => decodeJson(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toThrow("must be UTF-8");
  });

  it("protobuf strings that are not UTF-8 refuse their span", () => {
    const bytes = encodeProtobuf(body(span({ name: "ABCD" }), span({ name: "\uFFFD" })));
    bytes[bytes.indexOf("ABCD")] = 0xff;
    const decoded = decodeProtobuf(bytes);
    expect(decoded.reasons).toEqual(["resourceSpans[0].scopeSpans[0].spans[0].name: must be UTF-8"]);
    expect(decoded.spans[0]?.name).toBe("\uFFFD");
  });

  it("protobuf: every truncation and every changed byte either decodes or is refused", () => {
    const bytes = encodeProtobuf(body(attribute(nest(2)), span({ events: [{ timeUnixNano: "5", name: "e" }] })));
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length - 1), fc.nat(255), (length, at, byte) => {
        const changed = Buffer.from(bytes.subarray(0, length));
        if (at < changed.length) changed[at] = byte;
        try {
          const { spans, rejected } = decodeProtobuf(changed);
          return spans.length + rejected <= bytes.length;
        } catch (thrown) {
          return thrown instanceof BadValue;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("what OpenTelemetry's own serializers write", () => {
  const text = fc.string({ unit: "grapheme" });
  const scalar = fc.oneof(
    text,
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double().filter((n) => Math.abs(n) < 1e15),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.uint8Array({ maxLength: 6 }),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(text, tie("value"), { maxKeys: 3 }),
    ),
  }));
  const attributes = fc.dictionary(text, value, { maxKeys: 5 });
  const hex = (bytes: number): fc.Arbitrary<string> =>
    fc
      .uint8Array({ minLength: bytes, maxLength: bytes })
      .map((id) => Buffer.from(id).toString("hex"))
      .filter((id) => !/^0+$/.test(id));
  const time = fc.tuple(fc.nat(2_000_000_000), fc.nat(999_999_999));
  const spanContext = fc.record({ traceId: hex(16), spanId: hex(8), traceFlags: fc.constant(1) });
  const readable = fc.record({
    name: text,
    kind: fc.integer({ min: 0, max: 4 }),
    own: spanContext,
    parentSpanContext: fc.option(spanContext, { nil: undefined }),
    startTime: time,
    endTime: time,
    status: fc.record({ code: fc.constantFrom(0, 1, 2), message: text }),
    attributes,
    events: fc.array(fc.record({ name: text, time, attributes }), { maxLength: 2 }),
    links: fc.array(fc.record({ context: spanContext, attributes }), { maxLength: 2 }),
  });
  const ns = ([seconds, rest]: [number, number]): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(rest);

  it("decodes to the same spans from both, and to what went in", () => {
    const spans = fc.array(readable, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(spans, attributes, text, (ended, resourceAttributes, scopeName) => {
        const shared = { resource: { attributes: resourceAttributes }, instrumentationScope: { name: scopeName } };
        const request: Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0] = ended.map((one) =>
          Object.assign(Object.create(null), one, shared, { spanContext: () => one.own }),
        );
        const protobuf = plain(decodeProtobuf(Buffer.from(ProtobufTraceSerializer.serializeRequest(request) ?? [])));
        expect(protobuf).toEqual(plain(decodeJson(Buffer.from(JsonTraceSerializer.serializeRequest(request) ?? []))));
        expect(protobuf.spans).toMatchObject(
          ended.map((one) => ({
            traceId: one.own.traceId,
            spanId: one.own.spanId,
            parentSpanId: one.parentSpanContext?.spanId ?? "",
            name: one.name,
            kind: SPAN_KINDS[one.kind + 1],
            startedAtNs: ns(one.startTime),
            endedAtNs: ns(one.endTime),
            statusMessage: one.status.message,
            scopeName,
            links: one.links.map(({ context }) => ({ traceId: context.traceId, spanId: context.spanId })),
            events: one.events.map((event) => ({ name: event.name, atNs: ns(event.time) })),
          })),
        );
        expect(protobuf.spans.map((one) => Object.keys(one.attributes).length)).toEqual(
          ended.map((one) => Object.keys(one.attributes).length),
        );
      }),
      { numRuns: 200 },
    );
  });
});

const shared = process.env.CENTSPAN_SHARED;
describe.skipIf(shared === undefined)("sample bodies (set CENTSPAN_SHARED to the folder that holds otlp/)", () => {
  const root = join(shared ?? "", "otlp");
  const FOLDERS = ["captured", "edge-cases", "hyperdx", "jaeger", "otlp-proto-examples", "synthetic"];
  /** Of other signals, or (13) not conforming in a way that protobuf can't express. */
  const LEFT_OUT = /headers|metadata|logs|metrics|events|json-exporter|13-attributes/;
  const files =
    shared === undefined
      ? []
      : FOLDERS.flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(root, folder, file)));
  const names = files.filter((file) => file.endsWith(".json") && !LEFT_OUT.test(file));

  it.each(names.map((file) => [file.slice(root.length + 1), file]))("%s: equal from both encodings", (_name, file) => {
    const json = readFileSync(file, "utf8");
    const decoded = fromJson(json);
    expect(fromProtobuf(json)).toEqual(decoded);
    const refused = file.includes("05-mixed") ? 3 : 0;
    expect(decoded.rejected).toBe(refused);
    if (!file.includes("12-empty")) expect(decoded.spans.length).toBeGreaterThan(0);
  });

  it.each(files.filter((file) => file.endsWith(".pb")).map((file) => [file.slice(root.length + 1), file]))(
    "%s: a captured body",
    (_name, file) => {
      const decoded = decodeProtobuf(readFileSync(file));
      expect(decoded.rejected).toBe(0);
      expect(decoded.spans[0]?.attributes["gen_ai.usage.input_tokens"]).toMatch(/^(1200|5)$/);
    },
  );
});
