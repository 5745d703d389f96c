/**
 * OTLP traces in JSON → SpanRecord[]. The encoding: opentelemetry.io/docs/specs/otlp#json-protobuf-encoding.
 * Lenient where emitters differ (ids in either case, enums as numbers or names, 64-bit integers as text or numbers),
 * strict otherwise. Invariant: equal to decode-protobuf for equal content; a bad span refuses only itself.
 */
import { isUtf8 } from "node:buffer";
import { SPAN_KINDS, SPAN_STATUSES } from "@centspan/model";
import {
  BadValue,
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
import { quoteBigIntegers } from "./json-integers.ts";
import {
  isObject,
  type JsonObject,
  readAttributes,
  readInteger,
  readList,
  readObject,
  readText,
} from "./json-value.ts";

export function decodeJson(body: Buffer): DecodedTraces {
  const collection = createCollection();
  const request = parseJson(body);
  if (request.resourceSpans === undefined) refuseOtherSignals(request);
  readList(request, "resourceSpans").forEach((item, i) => {
    const path = `resourceSpans[${i}]`;
    within(path, () => readResourceSpans(expectObject(item), path, collection));
  });
  return collection;
}

function parseJson(body: Buffer): JsonObject {
  if (!isUtf8(body)) throw new BadValue("body", "must be UTF-8");
  let parsed: unknown;
  try {
    parsed = JSON.parse(quoteBigIntegers(body.toString()));
  } catch {
    throw new BadValue("body", "is not valid JSON");
  }
  if (!isObject(parsed)) throw new BadValue("body", "must be a JSON object");
  return parsed;
}

/** Unknown fields are ignored, but a body that holds another signal would be lost in silence. */
function refuseOtherSignals(request: JsonObject): void {
  for (const field of ["resourceLogs", "resourceMetrics"]) {
    if (request[field] !== undefined) throw new BadValue(field, "does not belong at this path, which takes traces");
  }
}

function expectObject(value: unknown): JsonObject {
  if (!isObject(value)) throw new BadValue("", "must be an object");
  return value;
}

function readResourceSpans(message: JsonObject, path: string, collection: Collection): void {
  const resource = readShared(`${path}.resource`, {}, () => readAttributes(readObject(message, "resource")));
  readList(message, "scopeSpans").forEach((item, i) => {
    const scopePath = `scopeSpans[${i}]`;
    within(scopePath, () => readScopeSpans(expectObject(item), `${path}.${scopePath}`, resource, collection));
  });
}

function readScopeSpans(
  message: JsonObject,
  path: string,
  resource: Shared<Record<string, string>>,
  collection: Collection,
): void {
  const scope = readShared(`${path}.scope`, "", () => readText(readObject(message, "scope"), "name"));
  readList(message, "spans").forEach((item, i) => {
    collection.add(`${path}.spans[${i}]`, resource.problem ?? scope.problem, () =>
      finishSpan(readSpan(expectObject(item)), resource.value, scope.value),
    );
  });
}

function readSpan(span: JsonObject): RawSpan {
  const status = readObject(span, "status");
  return {
    ...createRawSpan(),
    traceId: readText(span, "traceId"),
    spanId: readText(span, "spanId"),
    parentSpanId: readText(span, "parentSpanId"),
    name: readText(span, "name"),
    kind: readEnum(span, "kind", "SPAN_KIND_", SPAN_KINDS),
    startNs: readInteger(span, "startTimeUnixNano"),
    endNs: readInteger(span, "endTimeUnixNano"),
    statusCode: within("status", () => readEnum(status, "code", "STATUS_CODE_", SPAN_STATUSES)),
    statusMessage: within("status", () => readText(status, "message")),
    attributes: readAttributes(span),
    events: readList(span, "events").map((item, i) =>
      within(`events[${i}]`, () => {
        const event = expectObject(item);
        return {
          atNs: readInteger(event, "timeUnixNano"),
          name: readText(event, "name"),
          attributes: readAttributes(event),
        };
      }),
    ),
    links: readList(span, "links").map((item, i) =>
      within(`links[${i}]`, () => {
        const link = expectObject(item);
        return {
          traceId: readText(link, "traceId"),
          spanId: readText(link, "spanId"),
          attributes: readAttributes(link),
        };
      }),
    ),
  };
}

/** An enum by number, or by its full name such as SPAN_KIND_SERVER. */
function readEnum(message: JsonObject, field: string, prefix: string, names: readonly string[]): number {
  const value = message[field];
  if (typeof value !== "string") return Number(readInteger(message, field));
  const index = names.findIndex((name) => value === prefix + name.toUpperCase());
  if (index < 0) throw new BadValue(field, `must be a number or one of ${prefix}*`);
  return index;
}
