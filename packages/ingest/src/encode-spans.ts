/**
 * Spans as they are stored → an OTLP request, so that imported spans take the same way in as exported ones.
 * Attribute values are text already and stay so. Spans of one resource and scope share an envelope, in the order in
 * which these first come.
 */
import { SPAN_KINDS, SPAN_STATUSES, type SpanRecord } from "@centspan/model";
import { encodeMessage, type JsonObject } from "./json/write-message.ts";

/** An ExportTraceServiceRequest. Throws BadValue for an id that is not hexadecimal or an instant before 1970. */
export function encodeSpans(spans: readonly SpanRecord[]): Uint8Array {
  const resources = groupBy(spans, (span) =>
    JSON.stringify([span.service, ...Object.entries(span.resourceAttributes)]),
  );
  return encodeMessage("ExportTraceServiceRequest", { resourceSpans: resources.map(toResourceSpans) });
}

function toResourceSpans(spans: readonly SpanRecord[]): JsonObject {
  const scopes = groupBy(spans, (span) => span.scopeName);
  return {
    resource: { attributes: spans.slice(0, 1).flatMap(toResourceAttributes) },
    scopeSpans: scopes.map((group) => ({
      scope: { name: repairText(group[0]?.scopeName ?? "") },
      spans: group.map(toSpan),
    })),
  };
}

/** A record's service is an attribute of its resource on the wire. */
const toResourceAttributes = ({ service, resourceAttributes }: SpanRecord): JsonObject[] =>
  toAttributes(service === "" ? resourceAttributes : { "service.name": service, ...resourceAttributes });

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

const toSpan = (span: SpanRecord): JsonObject => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  name: repairText(span.name),
  kind: SPAN_KINDS.indexOf(span.kind),
  startTimeUnixNano: String(span.startedAtNs),
  endTimeUnixNano: String(span.endedAtNs),
  attributes: toAttributes(span.attributes),
  status: { code: SPAN_STATUSES.indexOf(span.status), message: repairText(span.statusMessage) },
  events: span.events.map(({ atNs, name, attributes }) => ({
    timeUnixNano: String(atNs),
    name: repairText(name),
    attributes: toAttributes(attributes),
  })),
  links: span.links.map(({ traceId, spanId, attributes }) => ({
    traceId,
    spanId,
    attributes: toAttributes(attributes),
  })),
});

const toAttributes = (attributes: Record<string, string>): JsonObject[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key: repairText(key),
    value: { stringValue: repairText(value) },
  }));

/** Text that a program has cut may end in half a surrogate pair: U+FFFD, as every UTF-8 encoder writes it. */
const repairText = (text: string): string => Buffer.from(text, "utf8").toString("utf8");
