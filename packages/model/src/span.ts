/** Spans as they are stored: raw, with nanosecond instants, ids in lower-case hex and attribute values as text. */

export const SPAN_KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export const SPAN_STATUSES = ["unset", "ok", "error"] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];

export type SpanLink = { traceId: string; spanId: string; attributes: Record<string, string> };
export type SpanEvent = { atNs: bigint; name: string; attributes: Record<string, string> };

/** Scalars are written as text; nested attribute values as JSON. A root has an empty parentSpanId. */
export type SpanRecord = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: SpanKind;
  service: string;
  startedAtNs: bigint;
  endedAtNs: bigint;
  status: SpanStatus;
  statusMessage: string;
  attributes: Record<string, string>;
  resourceAttributes: Record<string, string>;
  scopeName: string;
  /**
   * Whether the credential that brought it is one whose word on calls and keys counts: a gateway's, or the hand of whoever
   * imports. No payload says it.
   */
  trusted: boolean;
  events: SpanEvent[];
  links: SpanLink[];
};
