/** For tests only: OTLP's JSON as protobuf, by protobufjs and a schema, so that the two readers can be compared. */
import protobuf from "protobufjs";

const SCHEMA = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3;
  double double_value = 4; ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
enum SpanKind { SPAN_KIND_UNSPECIFIED = 0; SPAN_KIND_INTERNAL = 1; SPAN_KIND_SERVER = 2; SPAN_KIND_CLIENT = 3;
  SPAN_KIND_PRODUCER = 4; SPAN_KIND_CONSUMER = 5; }
enum StatusCode { STATUS_CODE_UNSET = 0; STATUS_CODE_OK = 1; STATUS_CODE_ERROR = 2; }
message Status { string message = 2; StatusCode code = 3; }
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4;
  fixed32 flags = 6; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4;
  string name = 5; SpanKind kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10; repeated Event events = 11;
  repeated Link links = 13; Status status = 15; fixed32 flags = 16; }
`;

const requestType = protobuf.parse(SCHEMA).root.lookupType("Request");
const ID_FIELDS = new Set(["traceId", "spanId", "parentSpanId"]);

export function encodeProtobuf(json: string): Buffer {
  const message: unknown = JSON.parse(json, (key, value) => {
    if (ID_FIELDS.has(key) && typeof value === "string") return Buffer.from(value, "hex");
    if (key === "doubleValue" && typeof value === "string") return Number(value);
    if (key === "bytesValue" && typeof value === "string") return Buffer.from(value, "base64");
    return value === null ? undefined : value;
  });
  return Buffer.from(requestType.encode(requestType.fromObject(Object(message))).finish());
}
