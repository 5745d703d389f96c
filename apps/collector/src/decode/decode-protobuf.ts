/**
 * OTLP traces in protobuf → SpanRecord[], in one pass over the bytes, no message objects in between.
 * Field numbers: opentelemetry-proto v1.11, trace/v1/trace.proto and common/v1/common.proto.
 * Invariant: equal to decode-json for equal content. Broken framing refuses the body; a bad span only itself.
 */
import type { SpanEvent, SpanLink } from "@centspan/model";
import {
  type Collection,
  createCollection,
  createRawSpan,
  type DecodedTraces,
  finishSpan,
  type RawSpan,
  readShared,
  type Shared,
  within,
} from "./decoded-traces.ts";
import { readAttribute } from "./protobuf-value.ts";
import {
  type Cursor,
  createCursor,
  expectWire,
  readEnum,
  readFields,
  readFixed64,
  readHex,
  readMessage,
  readString,
  WIRE,
} from "./wire-reader.ts";

export function decodeProtobuf(body: Buffer): DecodedTraces {
  const collection = createCollection();
  const cursor = createCursor(body);
  let index = 0;
  readFields(cursor, (field, wire) => {
    if (field !== 1) return false;
    const path = `resourceSpans[${index++}]`;
    expectWire(wire, WIRE.bytes, path);
    within(path, () => readResourceSpans(readMessage(cursor), path, collection));
    return true;
  });
  return collection;
}

/** A resource may follow its spans on the wire, so it is looked for first; repeats are merged. Likewise a scope. */
function readResourceSpans(message: Cursor, path: string, collection: Collection): void {
  const resource = readShared(`${path}.resource`, {}, () => readResource({ ...message }));
  let index = 0;
  const cursor = { ...message };
  readFields(cursor, (field, wire) => {
    if (field !== 2) return false;
    const scopePath = `scopeSpans[${index++}]`;
    expectWire(wire, WIRE.bytes, scopePath);
    within(scopePath, () => readScopeSpans(readMessage(cursor), `${path}.${scopePath}`, resource, collection));
    return true;
  });
}

function readResource(cursor: Cursor): Record<string, string> {
  const attributes: Record<string, string> = {};
  let count = 0;
  forEachMessage(cursor, (part) =>
    readFields(part, (field, wire) => {
      if (field !== 1) return false;
      expectWire(wire, WIRE.bytes, "attributes");
      readAttribute(part, count++, attributes);
      return true;
    }),
  );
  return attributes;
}

function readScopeName(cursor: Cursor): string {
  let name = "";
  forEachMessage(cursor, (part) =>
    readFields(part, (field, wire) => {
      if (field !== 1) return false;
      expectWire(wire, WIRE.bytes, "name");
      name = within("name", () => readString(part));
      return true;
    }),
  );
  return name;
}

/** Each occurrence of field 1, which in both envelopes is what the spans share. */
function forEachMessage(cursor: Cursor, read: (part: Cursor) => void): void {
  readFields(cursor, (field, wire) => {
    if (field !== 1) return false;
    expectWire(wire, WIRE.bytes, "");
    read(readMessage(cursor));
    return true;
  });
}

function readScopeSpans(
  message: Cursor,
  path: string,
  resource: Shared<Record<string, string>>,
  collection: Collection,
): void {
  const scope = readShared(`${path}.scope`, "", () => readScopeName({ ...message }));
  let index = 0;
  const cursor = { ...message };
  readFields(cursor, (field, wire) => {
    if (field !== 2) return false;
    const spanPath = `spans[${index++}]`;
    expectWire(wire, WIRE.bytes, spanPath);
    const span = within(spanPath, () => readMessage(cursor));
    collection.add(`${path}.${spanPath}`, resource.problem ?? scope.problem, () =>
      finishSpan(readSpan(span), resource.value, scope.value),
    );
    return true;
  });
}

/** The fields of a span that are read; all others are skipped. */
const SPAN_FIELDS: Partial<Record<number, [name: keyof RawSpan, wire: number]>> = {
  1: ["traceId", WIRE.bytes],
  2: ["spanId", WIRE.bytes],
  4: ["parentSpanId", WIRE.bytes],
  5: ["name", WIRE.bytes],
  6: ["kind", WIRE.varint],
  7: ["startNs", WIRE.fixed64],
  8: ["endNs", WIRE.fixed64],
  9: ["attributes", WIRE.bytes],
  11: ["events", WIRE.bytes],
  13: ["links", WIRE.bytes],
  15: ["statusCode", WIRE.bytes],
};

function readSpan(cursor: Cursor): RawSpan {
  const span = createRawSpan();
  let attributes = 0;
  readFields(cursor, (field, wire) => {
    const known = SPAN_FIELDS[field];
    if (!known) return false;
    const [name, expected] = known;
    expectWire(wire, expected, name);
    switch (name) {
      case "traceId":
      case "spanId":
      case "parentSpanId":
        span[name] = readHex(cursor);
        return true;
      case "name":
        span.name = within(name, () => readString(cursor));
        return true;
      case "kind":
        span.kind = readEnum(cursor);
        return true;
      case "startNs":
      case "endNs":
        span[name] = readFixed64(cursor);
        return true;
      case "attributes":
        readAttribute(cursor, attributes++, span.attributes);
        return true;
      case "events":
        within(`events[${span.events.length}]`, () => span.events.push(readEvent(readMessage(cursor))));
        return true;
      case "links":
        within(`links[${span.links.length}]`, () => span.links.push(readLink(readMessage(cursor))));
        return true;
      default:
        within("status", () => readStatus(readMessage(cursor), span));
        return true;
    }
  });
  return span;
}

function readEvent(cursor: Cursor): SpanEvent {
  const event: SpanEvent = { atNs: 0n, name: "", attributes: {} };
  let attributes = 0;
  readFields(cursor, (field, wire) => {
    switch (field) {
      case 1:
        expectWire(wire, WIRE.fixed64, "timeUnixNano");
        event.atNs = readFixed64(cursor);
        return true;
      case 2:
        expectWire(wire, WIRE.bytes, "name");
        event.name = within("name", () => readString(cursor));
        return true;
      case 3:
        expectWire(wire, WIRE.bytes, "attributes");
        readAttribute(cursor, attributes++, event.attributes);
        return true;
      default:
        return false;
    }
  });
  return event;
}

function readLink(cursor: Cursor): SpanLink {
  const link: SpanLink = { traceId: "", spanId: "", attributes: {} };
  let attributes = 0;
  readFields(cursor, (field, wire) => {
    switch (field) {
      case 1:
        expectWire(wire, WIRE.bytes, "traceId");
        link.traceId = readHex(cursor);
        return true;
      case 2:
        expectWire(wire, WIRE.bytes, "spanId");
        link.spanId = readHex(cursor);
        return true;
      case 4:
        expectWire(wire, WIRE.bytes, "attributes");
        readAttribute(cursor, attributes++, link.attributes);
        return true;
      default:
        return false;
    }
  });
  return link;
}

function readStatus(cursor: Cursor, span: RawSpan): void {
  readFields(cursor, (field, wire) => {
    switch (field) {
      case 2:
        expectWire(wire, WIRE.bytes, "message");
        span.statusMessage = within("message", () => readString(cursor));
        return true;
      case 3:
        expectWire(wire, WIRE.varint, "code");
        span.statusCode = readEnum(cursor);
        return true;
      default:
        return false;
    }
  });
}
