import { SPAN_KINDS, SPAN_STATUSES, type SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadValue } from "./admission.ts";
import { encodeSpans } from "./encode-spans.ts";
import { decodeOtlp, REQUEST_TYPES } from "./testing/otlp-schema.ts";

const text = fc.string({ unit: "grapheme", maxLength: 5 });
const attributes = fc.dictionary(fc.oneof(text, fc.constant("__proto__")), text, { maxKeys: 3 });
const instant = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString("hex"));
const service = fc.constantFrom("edge", "");
const span: fc.Arbitrary<SpanRecord> = fc
  .record({
    traceId: hex(16),
    spanId: hex(8),
    parentSpanId: fc.oneof(hex(8), fc.constant("")),
    name: text,
    kind: fc.constantFrom(...SPAN_KINDS),
    service,
    startedAtNs: instant,
    endedAtNs: instant,
    status: fc.constantFrom(...SPAN_STATUSES),
    statusMessage: text,
    attributes,
    resourceAttributes: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2")),
    scopeName: fc.constantFrom("", "s", "t"),
    // No request says it.
    trusted: fc.constant(false),
    events: fc.array(fc.record({ atNs: instant, name: text, attributes }), { maxLength: 2 }),
    links: fc.array(fc.record({ traceId: hex(16), spanId: hex(8), attributes }), { maxLength: 2 }),
  })
  .map((record) => ({
    ...record,
    resourceAttributes: {
      ...record.resourceAttributes,
      ...(record.service === "" ? {} : { "service.name": record.service }),
    },
  }));

const idOf = (base64: string): string => Buffer.from(base64, "base64").toString("hex");
const attributesOf = (list: { key: string; value: { stringValue: string } }[]): Record<string, string> =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue]));

/** What a request says, read in the plainest way. */
function readBack(body: Uint8Array): SpanRecord[] {
  const records: SpanRecord[] = [];
  const { resourceSpans } = JSON.parse(JSON.stringify(decodeOtlp(REQUEST_TYPES.traces, body)));
  for (const { resource, scopeSpans } of resourceSpans) {
    const resourceAttributes = attributesOf(resource.attributes);
    for (const { scope, spans } of scopeSpans) {
      for (const { traceId, spanId, parentSpanId, name, kind, status, ...one } of spans) {
        const record: SpanRecord = {
          traceId: idOf(traceId),
          spanId: idOf(spanId),
          parentSpanId: idOf(parentSpanId),
          name,
          kind: SPAN_KINDS[kind] ?? "unspecified",
          service: resourceAttributes["service.name"] ?? "",
          startedAtNs: BigInt(one.startTimeUnixNano),
          endedAtNs: BigInt(one.endTimeUnixNano),
          status: SPAN_STATUSES[status.code] ?? "unset",
          statusMessage: status.message,
          attributes: attributesOf(one.attributes),
          resourceAttributes,
          scopeName: scope.name,
          trusted: false,
          events: [],
          links: [],
        };
        for (const event of one.events) {
          const attributes = attributesOf(event.attributes);
          record.events.push({ atNs: BigInt(event.timeUnixNano), name: event.name, attributes });
        }
        for (const link of one.links) {
          const attributes = attributesOf(link.attributes);
          record.links.push({ traceId: idOf(link.traceId), spanId: idOf(link.spanId), attributes });
        }
        records.push(record);
      }
    }
  }
  return records;
}

const bySpan = (spans: readonly SpanRecord[]): SpanRecord[] =>
  [...spans].sort((a, b) => (a.traceId + a.spanId).localeCompare(b.traceId + b.spanId));

describe("spans as an OTLP request", () => {
  const [first = expect.fail("no sample")] = fc.sample(span, { numRuns: 1, seed: 1 });

  it("are the same spans, each resource and scope once", () => {
    const unique = fc.uniqueArray(span, { selector: ({ traceId, spanId }) => traceId + spanId, maxLength: 12 });
    fc.assert(
      fc.property(unique, (spans) => {
        expect(bySpan(readBack(encodeSpans(spans)))).toEqual(bySpan(spans));
      }),
    );
  });

  it("of one resource and scope stay in one envelope and in their order", () => {
    const spans = ["a", "b", "c"].map((name) => ({ ...first, name }));
    const { resourceSpans } = JSON.parse(JSON.stringify(decodeOtlp(REQUEST_TYPES.traces, encodeSpans(spans))));
    expect(resourceSpans).toHaveLength(1);
    expect(resourceSpans[0].scopeSpans).toHaveLength(1);
    expect(readBack(encodeSpans(spans)).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("puts a service that the resource does not name where OTLP has it", () => {
    const [back] = readBack(encodeSpans([{ ...first, service: "importer", resourceAttributes: {} }]));
    expect(back).toMatchObject({ service: "importer", resourceAttributes: { "service.name": "importer" } });
  });

  it("refuses what OTLP can't say", () => {
    expect(() => encodeSpans([{ ...first, startedAtNs: -1n }])).toThrow(BadValue);
  });
});
