/**
 * For tests only: OTLP as protobufjs reads it, written out independently of the table in src/json, so that the two
 * can be compared. From opentelemetry-proto v1.11.
 */
import type { Signal } from "@centspan/model";
import protobuf from "protobufjs";

const SCHEMA = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3;
  double double_value = 4; ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3;
  uint32 dropped_attributes_count = 4; }
message EntityRef { string schema_url = 1; string type = 2; repeated string id_keys = 3;
  repeated string description_keys = 4; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2;
  repeated EntityRef entity_refs = 3; }

message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
enum SpanKind { SPAN_KIND_UNSPECIFIED = 0; SPAN_KIND_INTERNAL = 1; SPAN_KIND_SERVER = 2; SPAN_KIND_CLIENT = 3;
  SPAN_KIND_PRODUCER = 4; SPAN_KIND_CONSUMER = 5; }
enum StatusCode { STATUS_CODE_UNSET = 0; STATUS_CODE_OK = 1; STATUS_CODE_ERROR = 2; }
message SpanStatus { string message = 2; StatusCode code = 3; }
message Span {
  message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3;
    uint32 dropped_attributes_count = 4; }
  message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4;
    uint32 dropped_attributes_count = 5; fixed32 flags = 6; }
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4;
  string name = 5; SpanKind kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10; repeated Event events = 11;
  uint32 dropped_events_count = 12; repeated Link links = 13; uint32 dropped_links_count = 14;
  SpanStatus status = 15; fixed32 flags = 16; }

message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
enum SeverityNumber { SEVERITY_NUMBER_UNSPECIFIED = 0; SEVERITY_NUMBER_TRACE = 1; SEVERITY_NUMBER_TRACE4 = 4;
  SEVERITY_NUMBER_DEBUG2 = 6; SEVERITY_NUMBER_INFO = 9; SEVERITY_NUMBER_WARN3 = 15; SEVERITY_NUMBER_ERROR = 17;
  SEVERITY_NUMBER_FATAL4 = 24; }
message LogRecord { fixed64 time_unix_nano = 1; SeverityNumber severity_number = 2; string severity_text = 3;
  AnyValue body = 5; repeated KeyValue attributes = 6; uint32 dropped_attributes_count = 7; fixed32 flags = 8;
  bytes trace_id = 9; bytes span_id = 10; fixed64 observed_time_unix_nano = 11; string event_name = 12; }

message ExportMetricsServiceRequest { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; string schema_url = 3; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; string schema_url = 3; }
enum AggregationTemporality { AGGREGATION_TEMPORALITY_UNSPECIFIED = 0; AGGREGATION_TEMPORALITY_DELTA = 1;
  AGGREGATION_TEMPORALITY_CUMULATIVE = 2; }
message Metric { string name = 1; string description = 2; string unit = 3;
  oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; ExponentialHistogram exponential_histogram = 10;
    Summary summary = 11; }
  repeated KeyValue metadata = 12; }
message Gauge { repeated NumberDataPoint data_points = 1; }
message Sum { repeated NumberDataPoint data_points = 1; AggregationTemporality aggregation_temporality = 2;
  bool is_monotonic = 3; }
message Histogram { repeated HistogramDataPoint data_points = 1; AggregationTemporality aggregation_temporality = 2; }
message ExponentialHistogram { repeated ExponentialHistogramDataPoint data_points = 1;
  AggregationTemporality aggregation_temporality = 2; }
message Summary { repeated SummaryDataPoint data_points = 1; }
message NumberDataPoint { repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; } repeated Exemplar exemplars = 5; uint32 flags = 8; }
message HistogramDataPoint { repeated KeyValue attributes = 9; fixed64 start_time_unix_nano = 2;
  fixed64 time_unix_nano = 3; fixed64 count = 4; optional double sum = 5; repeated fixed64 bucket_counts = 6;
  repeated double explicit_bounds = 7; repeated Exemplar exemplars = 8; uint32 flags = 10; optional double min = 11;
  optional double max = 12; }
message ExponentialHistogramDataPoint {
  message Buckets { sint32 offset = 1; repeated uint64 bucket_counts = 2; }
  repeated KeyValue attributes = 1; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; fixed64 count = 4;
  optional double sum = 5; sint32 scale = 6; fixed64 zero_count = 7; Buckets positive = 8; Buckets negative = 9;
  uint32 flags = 10; repeated Exemplar exemplars = 11; optional double min = 12; optional double max = 13;
  double zero_threshold = 14; }
message SummaryDataPoint {
  message ValueAtQuantile { double quantile = 1; double value = 2; }
  repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; fixed64 count = 4;
  double sum = 5; repeated ValueAtQuantile quantile_values = 6; uint32 flags = 8; }
message Exemplar { repeated KeyValue filtered_attributes = 7; fixed64 time_unix_nano = 2;
  oneof value { double as_double = 3; sfixed64 as_int = 6; } bytes span_id = 4; bytes trace_id = 5; }

message ExportTraceServiceResponse { message Partial { int64 rejected_spans = 1; string error_message = 2; }
  Partial partial_success = 1; }
message ExportLogsServiceResponse { message Partial { int64 rejected_log_records = 1; string error_message = 2; }
  Partial partial_success = 1; }
message ExportMetricsServiceResponse { message Partial { int64 rejected_data_points = 1; string error_message = 2; }
  Partial partial_success = 1; }
message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
message Any { string type_url = 1; bytes value = 2; }
message RetryInfo { Duration retry_delay = 1; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
`;

const { root } = protobuf.parse(SCHEMA);

export const otlpType = (name: string): protobuf.Type => root.lookupType(name);

export const REQUEST_TYPES: Record<Signal, protobuf.Type> = {
  traces: otlpType("ExportTraceServiceRequest"),
  logs: otlpType("ExportLogsServiceRequest"),
  metrics: otlpType("ExportMetricsServiceRequest"),
};

/** A message from bytes as a plain object: 64-bit integers as text, bytes as base64, absent fields as their defaults. */
export const decodeOtlp = (type: protobuf.Type, bytes: Uint8Array): Record<string, unknown> =>
  type.toObject(type.decode(bytes), { longs: String, bytes: String, defaults: true });
