/**
 * The columns that blocks bring, in their order: the one list that the Native encoder writes and the warehouse's
 * schema is made of. What the server computes beside them (instants of receipt, most hashes) stands in the schema.
 */
import type { SignalTable } from "@centspan/model";

export type BlockColumn = { name: string; type: string };

const TEXT = "String";
const NAME = "LowCardinality(String)";
const INSTANT = "DateTime64(9, 'UTC')";
const ATTRIBUTES = "Map(LowCardinality(String), String)";

const columns = (type: string, ...names: string[]): BlockColumn[] => names.map((name) => ({ name, type }));

/** What a span says beside its ids, as it was sent. */
const SPAN_CONTENT: readonly BlockColumn[] = [
  ...columns(TEXT, "parent_span_id", "trace_state"),
  ...columns("UInt32", "flags"),
  ...columns(NAME, "name", "kind", "service"),
  ...columns(INSTANT, "started_at", "ended_at"),
  ...columns(NAME, "status"),
  ...columns(TEXT, "status_message"),
  ...columns(ATTRIBUTES, "attributes", "resource_attributes"),
  ...columns(NAME, "scope_name", "scope_version"),
  { name: "events", type: `Array(Tuple(at ${INSTANT}, name ${NAME}, attributes ${ATTRIBUTES}))` },
  { name: "links", type: `Array(Tuple(trace_id String, span_id String, attributes ${ATTRIBUTES}))` },
  ...columns("UInt32", "dropped_attributes", "dropped_events", "dropped_links"),
];

/** The columns that `content_hash` is of, in the order in which they are hashed, where the block brings one. */
export const HASHED_COLUMNS: Record<SignalTable, readonly string[]> = {
  spans: SPAN_CONTENT.map(({ name }) => name),
  logs: [],
  metrics: [],
};

export const BLOCK_COLUMNS: Record<SignalTable, readonly BlockColumn[]> = {
  spans: [
    ...columns(NAME, "workspace"),
    // Whether a credential brought it whose word on calls and keys counts: no payload can say so.
    ...columns("Bool", "trusted"),
    ...columns(TEXT, "trace_id", "span_id"),
    ...SPAN_CONTENT,
    // Lifted out of the attributes, where they also stay, because many questions begin with them.
    ...columns(NAME, "layer", "team", "model"),
    ...columns(TEXT, "task", "run_id", "session_id"),
    ...columns("Bool", "may_be_call", "of_replica"),
    ...columns("UInt64", "content_hash"),
  ],
  logs: [
    ...columns(NAME, "workspace"),
    ...columns(INSTANT, "at", "observed_at"),
    ...columns(TEXT, "trace_id", "span_id"),
    ...columns("UInt8", "severity_number"),
    ...columns(NAME, "severity_text", "event_name"),
    ...columns(TEXT, "body"),
    ...columns(NAME, "service"),
    ...columns(ATTRIBUTES, "attributes", "resource_attributes"),
    ...columns(NAME, "scope_name", "scope_version"),
    ...columns("UInt32", "flags", "dropped_attributes"),
    ...columns(TEXT, "session_id"),
    ...columns("Bool", "may_be_call"),
    // A record has no id. An exact retry of its request has the same hash, and the record its place in it.
    ...columns("UInt64", "request_hash"),
    ...columns("UInt32", "position"),
  ],
  metrics: [
    ...columns(NAME, "workspace", "name", "type", "unit"),
    ...columns(TEXT, "description"),
    ...columns(NAME, "temporality"),
    ...columns("Bool", "monotonic"),
    ...columns(NAME, "service"),
    ...columns(ATTRIBUTES, "attributes", "resource_attributes"),
    ...columns(NAME, "scope_name", "scope_version"),
    ...columns(INSTANT, "started_at", "at"),
    ...columns("UInt32", "flags"),
    ...columns("Nullable(Int64)", "value_int"),
    ...columns("Nullable(Float64)", "value_double"),
    ...columns("Nullable(UInt64)", "count"),
    ...columns("Nullable(Float64)", "sum", "min", "max"),
    // Histogram: its explicit bounds and counts. Summary: quantiles and their values.
    ...columns("Array(Float64)", "bounds"),
    ...columns("Array(UInt64)", "bucket_counts"),
    ...columns("Array(Float64)", "quantile_values"),
    // Exponential histogram: its buckets are powers of 2^(2^-scale).
    ...columns("Int32", "scale"),
    ...columns("UInt64", "zero_count"),
    ...columns("Float64", "zero_threshold"),
    ...columns("Int32", "positive_offset"),
    ...columns("Array(UInt64)", "positive_counts"),
    ...columns("Int32", "negative_offset"),
    ...columns("Array(UInt64)", "negative_counts"),
    {
      name: "exemplars",
      type: `Array(Tuple(at ${INSTANT}, value Float64, trace_id String, span_id String, attributes ${ATTRIBUTES}))`,
    },
    ...columns(TEXT, "session_id"),
  ],
};
