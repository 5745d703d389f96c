/** Spans from the columns of `spans` to the model. How they get there is the encoder's: see insert-spans.ts. */

import type { SpanEvent, SpanKind, SpanLink, SpanRecord, SpanStatus } from "@centspan/model";
import { nanoseconds } from "../instants.ts";

/** What a reader selects to get whole spans. */
export const SPAN_COLUMNS = `trace_id, span_id, parent_span_id, name, kind, service,
  ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("ended_at")} AS ended_ns,
  status, status_message, attributes, resource_attributes, scope_name, trusted,
  arrayMap(event -> (${nanoseconds("event.at")}, event.name, event.attributes), events) AS event_rows,
  arrayMap(link -> (link.trace_id, link.span_id, link.attributes), links) AS link_rows`;

export type SpanRow = {
  trace_id: string;
  span_id: string;
  parent_span_id: string;
  name: string;
  kind: SpanKind;
  service: string;
  started_ns: string;
  ended_ns: string;
  status: SpanStatus;
  status_message: string;
  attributes: Record<string, string>;
  resource_attributes: Record<string, string>;
  scope_name: string;
  trusted: boolean;
  event_rows: [atNs: string, name: string, attributes: Record<string, string>][];
  link_rows: [traceId: string, spanId: string, attributes: Record<string, string>][];
};

export function fromSpanRow(row: SpanRow): SpanRecord {
  return {
    traceId: row.trace_id,
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
    name: row.name,
    kind: row.kind,
    service: row.service,
    startedAtNs: BigInt(row.started_ns),
    endedAtNs: BigInt(row.ended_ns),
    status: row.status,
    statusMessage: row.status_message,
    attributes: row.attributes,
    resourceAttributes: row.resource_attributes,
    scopeName: row.scope_name,
    trusted: row.trusted,
    events: row.event_rows.map(([atNs, name, attributes]): SpanEvent => ({ atNs: BigInt(atNs), name, attributes })),
    links: row.link_rows.map(([traceId, spanId, attributes]): SpanLink => ({ traceId, spanId, attributes })),
  };
}

/** Of several contents under the same ids a gateway's stays, else the first received; ties go by content. */
export const FOREMOST = "precedence DESC, content_hash";
/** Ends a query over `spans`. */
export const FIRST_RECEIVED = `ORDER BY trace_id, span_id, ${FOREMOST} LIMIT 1 BY trace_id, span_id`;
