import { SIGNALS, type Signal } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadBody } from "../admission.ts";
import { arbitraryMessage, writeJson } from "../testing/arbitrary-message.ts";
import { decodeOtlp, REQUEST_TYPES } from "../testing/otlp-schema.ts";
import { transcodeJson } from "./transcode-json.ts";

describe.each(SIGNALS)("any request of %s", (signal) => {
  const type = REQUEST_TYPES[signal];

  it("is in protobuf what protobufjs makes of it, however its JSON is spelled", () => {
    fc.assert(
      fc.property(arbitraryMessage(type, 8), ({ plain, json }) => {
        const transcoded = transcodeJson(signal, Buffer.from(writeJson(json)));
        expect(transcoded.rejected).toBe(0);
        const expected = type.encode(type.fromObject(plain)).finish();
        expect(decodeOtlp(type, transcoded.body)).toEqual(decodeOtlp(type, expected));
      }),
      { numRuns: 150 },
    );
  });

  it("whatever is changed in its text: protobuf comes out, or the body is refused", () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:0123456789nulltrefasz\\\u0000\ud800é'), fc.boolean());
    fc.assert(
      fc.property(arbitraryMessage(type, 6), fc.array(change, { maxLength: 4 }), ({ json }, changes) => {
        let text = writeJson(json);
        for (const [place, character, insert] of changes) {
          const at = place % (text.length + 1);
          text = text.slice(0, at) + character + text.slice(insert ? at : at + 1);
        }
        try {
          decodeOtlp(type, transcodeJson(signal, Buffer.from(text)).body);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(BadBody);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const transcode = (signal: Signal, json: unknown) => {
  const text = typeof json === "string" ? json : JSON.stringify(json);
  const { body, ...admission } = transcodeJson(signal, Buffer.from(text));
  return { ...admission, request: decodeOtlp(REQUEST_TYPES[signal], body) };
};
const good = { traceId: "0123456789abcdef0123456789ABCDEF", spanId: "00000000000000a1", name: "good" };
const envelope = (...spans: unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const attribute = (value: unknown) => ({ ...good, attributes: [{ key: "k", value }] });
const nest = (levels: number): object =>
  levels === 0 ? { intValue: 1 } : { arrayValue: { values: [nest(levels - 1)] } };
const spansOf = (request: unknown): unknown[] =>
  JSON.parse(JSON.stringify(request)).resourceSpans.flatMap((one: { scopeSpans: { spans: unknown[] }[] }) =>
    one.scopeSpans.flatMap((scope) => scope.spans),
  );

describe("a span that can't be written refuses itself and names the field", () => {
  it.each([
    ["text instead of a span", "span", "invalid_value", "spans[0]: must be an object"],
    ["null instead of a span", null, "invalid_value", "spans[0]: must be an object"],
    ["id that is not hex", { ...good, spanId: "zz000000000000a1" }, "invalid_id", "spanId: must be 8 bytes"],
    ["short id", { ...good, traceId: "abcd" }, "invalid_id", "traceId: must be 16 bytes, written as 32 hexadecimal"],
    ["short parent", { ...good, parentSpanId: "abcd" }, "invalid_id", "parentSpanId: must be 8 bytes"],
    ["short id of a link", { ...good, links: [{ traceId: "ab" }] }, "invalid_id", "links[0].traceId: must be 16 bytes"],
    [
      "attributes as an object",
      { ...good, attributes: { a: "b" } },
      "invalid_value",
      "attributes: must be an array; each",
    ],
    ["a bare attribute value", attribute("x"), "invalid_value", 'attributes[0].value: must be an object such as {"str'],
    ["unknown kind", { ...good, kind: "SPAN_KIND_X" }, "invalid_value", "kind: must be a number or one of SPAN_KIND_*"],
    [
      "time as text",
      { ...good, startTimeUnixNano: "soon" },
      "invalid_value",
      "startTimeUnixNano: must be a whole number",
    ],
    [
      "negative time",
      { ...good, endTimeUnixNano: -1 },
      "invalid_value",
      "endTimeUnixNano: must be between 0 and 184467",
    ],
    ["inexact time", { ...good, endTimeUnixNano: 1.5e21 }, "invalid_value", "endTimeUnixNano: must be a whole"],
    [
      "two values in one",
      attribute({ intValue: 1, stringValue: "" }),
      "invalid_value",
      "value: holds intValue and stringV",
    ],
    [
      "one value in two spellings",
      attribute({ intValue: 1, int_value: 1 }),
      "invalid_value",
      "value.intValue: is given twice",
    ],
    [
      "over 64 bits",
      attribute({ intValue: "9223372036854775808" }),
      "invalid_value",
      "intValue: must be between -922337",
    ],
    ["a fraction", attribute({ intValue: 1.5 }), "invalid_value", "intValue: must be a whole number"],
    ["text for a flag", attribute({ boolValue: "true" }), "invalid_value", "boolValue: must be true or false"],
    ["text for a double", attribute({ doubleValue: "many" }), "invalid_value", "doubleValue: must be a number"],
    ["no base64", attribute({ bytesValue: "AP8Q!" }), "invalid_value", "bytesValue: must be base64"],
    ["cut base64", attribute({ bytesValue: "AP8QA" }), "invalid_value", "bytesValue: must be base64"],
    [
      "half a surrogate pair",
      attribute({ stringValue: "\ud800" }),
      "invalid_text",
      "must not hold half a surrogate pair",
    ],
    ["too deep", attribute(nest(32)), "too_deep", "is nested deeper than 32 levels"],
    ["an event that is text", { ...good, events: [{}, "e"] }, "invalid_value", "events[1]: must be an object"],
  ])("%s", (_why, bad, code, reason) => {
    const { request, ...admission } = transcode("traces", envelope(bad, good));
    expect(spansOf(request)).toMatchObject([{ name: "good" }]);
    expect(admission).toMatchObject({ accepted: 0, rejected: 1, rejectedBy: { [code]: 1 }, reasons: [{ code }] });
    expect(admission.reasons[0]?.message).toContain("resourceSpans[0].scopeSpans[0].spans[0]");
    expect(admission.reasons[0]?.message).toContain(reason);
  });

  it("any mix: the good ones stay, in their order", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (flags) => {
        const spans = flags.map((ok, i) => ({ ...good, name: String(i), ...(ok ? {} : { events: ["bad"] }) }));
        const { request, rejected } = transcode("traces", envelope(...spans));
        expect(rejected).toBe(flags.filter((ok) => !ok).length);
        const kept = spans.filter((_span, i) => flags[i]).map(({ name }) => ({ name }));
        expect(spansOf(request)).toMatchObject(kept);
        expect(spansOf(request)).toHaveLength(kept.length);
      }),
    );
  });
});

describe("what JSON can say in more than one way", () => {
  it.each([
    ["deepest value that is taken", attribute(nest(31)), {}],
    ["unknown fields", { ...good, colour: "red", "": 1, constructor: {}, toString: null }, { name: "good" }],
    ["null is absent", { ...good, attributes: null, status: null, kind: null }, { kind: 0 }],
    ["null inside an array value", attribute({ arrayValue: { values: [null] } }), {}],
    ["empty id", { ...good, parentSpanId: "" }, { parentSpanId: "" }],
    [
      "digits beyond 2^53",
      { ...good, startTimeUnixNano: 1790000000000000001n },
      { startTimeUnixNano: "1790000000000000001" },
    ],
    ["digits in text", { ...good, name: 'a "12345678901234567890" \\ 1' }, { name: 'a "12345678901234567890" \\ 1' }],
  ])("%s", (_why, span, expected) => {
    const text = JSON.stringify(envelope(span), (_key, value) => (typeof value === "bigint" ? `#${value}` : value));
    const { request, rejected } = transcode("traces", text.replace(/"#(\d+)"/g, "$1"));
    expect(rejected).toBe(0);
    expect(spansOf(request)).toMatchObject([expected]);
  });

  it("__proto__ is a name like any other: unknown as a field, kept as an attribute's key", () => {
    const text = JSON.stringify(envelope(good)).replace(
      '"name"',
      '"__proto__":{"kind":2},"attributes":[{"key":"__proto__","value":{"stringValue":"x"}}],"name"',
    );
    const { request, rejected } = transcode("traces", text);
    expect(rejected).toBe(0);
    expect(spansOf(request)).toMatchObject([{ kind: 0, attributes: [{ key: "__proto__" }] }]);
  });
});

describe("what holds records and can't be written refuses them and no others", () => {
  const badResource = { attributes: [{ key: "k", value: nest(40) }] };
  const scoped = (spans: unknown[]) => ({ scopeSpans: [{ spans }] });

  it("a resource, told once", () => {
    const { request, ...admission } = transcode("traces", {
      resourceSpans: [{ ...scoped([good, good]), resource: badResource }, scoped([good])],
    });
    expect(spansOf(request)).toHaveLength(1);
    expect(admission).toMatchObject({ rejected: 2, rejectedBy: { too_deep: 2 } });
    expect(admission.reasons).toHaveLength(1);
    expect(admission.reasons[0]?.message).toMatch(/^resourceSpans\[0\]\.resource\.attributes\[0\]\.value/);
  });

  it("a scope", () => {
    const scopeSpans = [{ scope: { name: 1 }, spans: [good, good] }, { spans: [good] }];
    const { request, reasons, rejected } = transcode("traces", { resourceSpans: [{ scopeSpans }] });
    expect([spansOf(request).length, rejected]).toEqual([1, 2]);
    expect(reasons[0]?.message).toBe("resourceSpans[0].scopeSpans[0].scope.name: must be a string");
  });

  it("a resource without records counts as one, so that it is not lost in silence", () => {
    expect(transcode("traces", { resourceSpans: [{ resource: badResource }] }).rejected).toBe(1);
  });

  const point = { asInt: "1", timeUnixNano: "5" };
  const metrics = (...list: unknown[]) => ({ resourceMetrics: [{ scopeMetrics: [{ metrics: list }] }] });
  const sum = { name: "fine", sum: { dataPoints: [point], aggregationTemporality: 2 } };
  it.each([
    ["name", { name: 1, gauge: { dataPoints: [point, point] } }, 2, "metrics[0].name: must be a string"],
    [
      "temporality",
      { sum: { aggregationTemporality: "X", dataPoints: [point, point] } },
      2,
      "sum.aggregationTemporality: must",
    ],
    [
      "two kinds of data",
      { gauge: { dataPoints: [point] }, sum: { dataPoints: [point] } },
      2,
      "holds gauge and sum: one of",
    ],
    ["points that are no list", { gauge: { dataPoints: {} } }, 1, "gauge.dataPoints: must be an array"],
    ["data that is no message", { histogram: [] }, 1, "histogram: must be an object"],
    ["text instead of a metric", "metric", 1, "metrics[0]: must be an object"],
    [
      "one point",
      { sum: { dataPoints: [point, { asInt: "x" }] } },
      1,
      "sum.dataPoints[1].asInt: must be a whole number",
    ],
    ["two numbers", { sum: { dataPoints: [{ asInt: 1, asDouble: 1 }] } }, 1, "dataPoints[0]: holds asInt and asDouble"],
    [
      "a count below 0",
      { histogram: { dataPoints: [{ bucketCounts: [1, -1] }] } },
      1,
      "bucketCounts[1]: must be between 0",
    ],
  ])("a metric: %s", (_why, bad, refused, reason) => {
    const { request, rejected, reasons } = transcode("metrics", metrics(bad, sum));
    expect(rejected).toBe(refused);
    expect(reasons[0]?.message).toContain("resourceMetrics[0].scopeMetrics[0].metrics[0]");
    expect(reasons[0]?.message).toContain(reason);
    const last = JSON.parse(JSON.stringify(request)).resourceMetrics[0].scopeMetrics[0].metrics.at(-1);
    expect(last).toMatchObject({ name: "fine", sum: { dataPoints: [{ asInt: "1" }] } });
  });
});

describe("a body that is not what it says is refused whole", () => {
  it.each<[string, Signal, unknown, string, string]>([
    ["nothing", "traces", "", "body", "body: is empty; an export request without records is {}"],
    ["not JSON", "traces", "{", "body", "is not valid JSON"],
    ["nesting without end", "traces", "[".repeat(1_000_000), "body", "is not valid JSON"],
    ["a list", "traces", [], "body", "must be a JSON object"],
    ["null", "logs", "null", "body", "must be a JSON object"],
    [
      "another signal",
      "traces",
      { resourceLogs: [] },
      "resourceLogs",
      "does not belong at this path, which takes traces",
    ],
    ["another signal, snake case", "logs", { resource_metrics: [] }, "resource_metrics", "send it to /v1/metrics"],
    [
      "another format",
      "traces",
      { trace: {}, observations: [] },
      "resourceSpans",
      'is missing, and the body holds "trace", "obs',
    ],
    ["resources that are no list", "traces", { resourceSpans: {} }, "resourceSpans", "must be an array"],
    ["a resource that is text", "traces", { resourceSpans: ["x"] }, "resourceSpans[0]", "must be an object"],
    [
      "scopes that are no list",
      "logs",
      { resourceLogs: [{ scopeLogs: 1 }] },
      "resourceLogs[0].scopeLogs",
      "must be an array",
    ],
    [
      "spans that are no list",
      "traces",
      { resourceSpans: [{ scopeSpans: [{ spans: {} }] }] },
      "resourceSpans[0].scopeSpans[0].spans",
      "must be an array",
    ],
  ])("%s", (_why, signal, json, path, problem) => {
    const attempt = () => transcode(signal, json);
    expect(attempt).toThrow(BadBody);
    expect(attempt).toThrow(expect.objectContaining({ path, message: expect.stringContaining(problem) }));
  });

  it("bytes that are not UTF-8", () => {
    expect(() => transcodeJson("traces", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toThrow("body: must be UTF-8");
  });

  it.each<[string, Signal, unknown]>([
    ["{}", "traces", {}],
    ["no resources", "logs", { resourceLogs: [] }],
    ["null for resources", "metrics", { resourceMetrics: null }],
    ["empty envelopes", "traces", { resourceSpans: [{ scopeSpans: [] }, {}] }],
  ])("but an empty request is none: %s", (_why, signal, json) => {
    expect(transcode(signal, json)).toMatchObject({ rejected: 0, reasons: [] });
  });
});
