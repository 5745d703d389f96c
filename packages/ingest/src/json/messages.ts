/**
 * OTLP's messages as data: field (its name in JSON) → number, type, and the oneof it is a member of. `*`: repeated.
 * From opentelemetry-proto v1.11 (common, resource, trace, logs, metrics, collector), googleapis google/rpc
 * (status, error_details) and protobuf's any and duration.
 * Add a field: one line here. Types: a scalar of protobuf, `id8` or `id16` (bytes that JSON writes as hex), an enum or
 * a message by name.
 */

export type FieldRow = readonly [number: number, type: string, oneof?: string];
export type MessageRows = Readonly<Record<string, FieldRow>>;

const EXEMPLARS = "Exemplar*";
const ATTRIBUTES = "KeyValue*";

export const MESSAGES: Readonly<Record<string, MessageRows>> = {
  AnyValue: {
    stringValue: [1, "string", "value"],
    boolValue: [2, "bool", "value"],
    intValue: [3, "int64", "value"],
    doubleValue: [4, "double", "value"],
    arrayValue: [5, "ArrayValue", "value"],
    kvlistValue: [6, "KeyValueList", "value"],
    bytesValue: [7, "bytes", "value"],
  },
  ArrayValue: { values: [1, "AnyValue*"] },
  KeyValueList: { values: [1, ATTRIBUTES] },
  KeyValue: { key: [1, "string"], value: [2, "AnyValue"] },
  InstrumentationScope: {
    name: [1, "string"],
    version: [2, "string"],
    attributes: [3, ATTRIBUTES],
    droppedAttributesCount: [4, "uint32"],
  },
  EntityRef: {
    schemaUrl: [1, "string"],
    type: [2, "string"],
    idKeys: [3, "string*"],
    descriptionKeys: [4, "string*"],
  },
  Resource: {
    attributes: [1, ATTRIBUTES],
    droppedAttributesCount: [2, "uint32"],
    entityRefs: [3, "EntityRef*"],
  },

  ExportTraceServiceRequest: { resourceSpans: [1, "ResourceSpans*"] },
  ResourceSpans: { resource: [1, "Resource"], scopeSpans: [2, "ScopeSpans*"], schemaUrl: [3, "string"] },
  ScopeSpans: { scope: [1, "InstrumentationScope"], spans: [2, "Span*"], schemaUrl: [3, "string"] },
  Span: {
    traceId: [1, "id16"],
    spanId: [2, "id8"],
    traceState: [3, "string"],
    parentSpanId: [4, "id8"],
    name: [5, "string"],
    kind: [6, "SpanKind"],
    startTimeUnixNano: [7, "fixed64"],
    endTimeUnixNano: [8, "fixed64"],
    attributes: [9, ATTRIBUTES],
    droppedAttributesCount: [10, "uint32"],
    events: [11, "SpanEvent*"],
    droppedEventsCount: [12, "uint32"],
    links: [13, "SpanLink*"],
    droppedLinksCount: [14, "uint32"],
    status: [15, "SpanStatus"],
    flags: [16, "fixed32"],
  },
  SpanEvent: {
    timeUnixNano: [1, "fixed64"],
    name: [2, "string"],
    attributes: [3, ATTRIBUTES],
    droppedAttributesCount: [4, "uint32"],
  },
  SpanLink: {
    traceId: [1, "id16"],
    spanId: [2, "id8"],
    traceState: [3, "string"],
    attributes: [4, ATTRIBUTES],
    droppedAttributesCount: [5, "uint32"],
    flags: [6, "fixed32"],
  },
  SpanStatus: { message: [2, "string"], code: [3, "StatusCode"] },

  ExportLogsServiceRequest: { resourceLogs: [1, "ResourceLogs*"] },
  ResourceLogs: { resource: [1, "Resource"], scopeLogs: [2, "ScopeLogs*"], schemaUrl: [3, "string"] },
  ScopeLogs: { scope: [1, "InstrumentationScope"], logRecords: [2, "LogRecord*"], schemaUrl: [3, "string"] },
  LogRecord: {
    timeUnixNano: [1, "fixed64"],
    severityNumber: [2, "SeverityNumber"],
    severityText: [3, "string"],
    body: [5, "AnyValue"],
    attributes: [6, ATTRIBUTES],
    droppedAttributesCount: [7, "uint32"],
    flags: [8, "fixed32"],
    traceId: [9, "id16"],
    spanId: [10, "id8"],
    observedTimeUnixNano: [11, "fixed64"],
    eventName: [12, "string"],
  },

  ExportMetricsServiceRequest: { resourceMetrics: [1, "ResourceMetrics*"] },
  ResourceMetrics: { resource: [1, "Resource"], scopeMetrics: [2, "ScopeMetrics*"], schemaUrl: [3, "string"] },
  ScopeMetrics: { scope: [1, "InstrumentationScope"], metrics: [2, "Metric*"], schemaUrl: [3, "string"] },
  Metric: {
    name: [1, "string"],
    description: [2, "string"],
    unit: [3, "string"],
    gauge: [5, "Gauge", "data"],
    sum: [7, "Sum", "data"],
    histogram: [9, "Histogram", "data"],
    exponentialHistogram: [10, "ExponentialHistogram", "data"],
    summary: [11, "Summary", "data"],
    metadata: [12, ATTRIBUTES],
  },
  Gauge: { dataPoints: [1, "NumberDataPoint*"] },
  Sum: {
    dataPoints: [1, "NumberDataPoint*"],
    aggregationTemporality: [2, "AggregationTemporality"],
    isMonotonic: [3, "bool"],
  },
  Histogram: {
    dataPoints: [1, "HistogramDataPoint*"],
    aggregationTemporality: [2, "AggregationTemporality"],
  },
  ExponentialHistogram: {
    dataPoints: [1, "ExponentialHistogramDataPoint*"],
    aggregationTemporality: [2, "AggregationTemporality"],
  },
  Summary: { dataPoints: [1, "SummaryDataPoint*"] },
  NumberDataPoint: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    asDouble: [4, "double", "value"],
    exemplars: [5, EXEMPLARS],
    asInt: [6, "sfixed64", "value"],
    attributes: [7, ATTRIBUTES],
    flags: [8, "uint32"],
  },
  HistogramDataPoint: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    count: [4, "fixed64"],
    sum: [5, "double"],
    bucketCounts: [6, "fixed64*"],
    explicitBounds: [7, "double*"],
    exemplars: [8, EXEMPLARS],
    attributes: [9, ATTRIBUTES],
    flags: [10, "uint32"],
    min: [11, "double"],
    max: [12, "double"],
  },
  ExponentialHistogramDataPoint: {
    attributes: [1, ATTRIBUTES],
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    count: [4, "fixed64"],
    sum: [5, "double"],
    scale: [6, "sint32"],
    zeroCount: [7, "fixed64"],
    positive: [8, "Buckets"],
    negative: [9, "Buckets"],
    flags: [10, "uint32"],
    exemplars: [11, EXEMPLARS],
    min: [12, "double"],
    max: [13, "double"],
    zeroThreshold: [14, "double"],
  },
  Buckets: { offset: [1, "sint32"], bucketCounts: [2, "uint64*"] },
  SummaryDataPoint: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    count: [4, "fixed64"],
    sum: [5, "double"],
    quantileValues: [6, "ValueAtQuantile*"],
    attributes: [7, ATTRIBUTES],
    flags: [8, "uint32"],
  },
  ValueAtQuantile: { quantile: [1, "double"], value: [2, "double"] },
  Exemplar: {
    timeUnixNano: [2, "fixed64"],
    asDouble: [3, "double", "value"],
    spanId: [4, "id8"],
    traceId: [5, "id16"],
    asInt: [6, "sfixed64", "value"],
    filteredAttributes: [7, ATTRIBUTES],
  },

  ExportTraceServiceResponse: { partialSuccess: [1, "ExportTracePartialSuccess"] },
  ExportTracePartialSuccess: { rejectedSpans: [1, "int64"], errorMessage: [2, "string"] },
  ExportLogsServiceResponse: { partialSuccess: [1, "ExportLogsPartialSuccess"] },
  ExportLogsPartialSuccess: { rejectedLogRecords: [1, "int64"], errorMessage: [2, "string"] },
  ExportMetricsServiceResponse: { partialSuccess: [1, "ExportMetricsPartialSuccess"] },
  ExportMetricsPartialSuccess: { rejectedDataPoints: [1, "int64"], errorMessage: [2, "string"] },
  Status: { code: [1, "int32"], message: [2, "string"], details: [3, "Any*"] },
  Any: { typeUrl: [1, "string"], value: [2, "bytes"] },
  RetryInfo: { retryDelay: [1, "Duration"] },
  Duration: { seconds: [1, "int64"], nanos: [2, "int32"] },
};

/** Values of an enum, first to last from zero; JSON writes them as numbers or as prefix and name. */
export type EnumRow = { prefix: string; names: readonly string[] };

const SEVERITIES = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];

export const ENUMS: Readonly<Record<string, EnumRow>> = {
  SpanKind: {
    prefix: "SPAN_KIND_",
    names: ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"],
  },
  StatusCode: { prefix: "STATUS_CODE_", names: ["UNSET", "OK", "ERROR"] },
  SeverityNumber: {
    prefix: "SEVERITY_NUMBER_",
    names: ["UNSPECIFIED", ...SEVERITIES.flatMap((name) => [name, `${name}2`, `${name}3`, `${name}4`])],
  },
  AggregationTemporality: { prefix: "AGGREGATION_TEMPORALITY_", names: ["UNSPECIFIED", "DELTA", "CUMULATIVE"] },
};

/** What is refused alone when it can't be written. */
export const RECORDS: ReadonlySet<string> = new Set([
  "Span",
  "LogRecord",
  "NumberDataPoint",
  "HistogramDataPoint",
  "ExponentialHistogramDataPoint",
  "SummaryDataPoint",
]);

/** What holds records and is refused with them, not with the body, when its frame is broken. */
export const GROUPS: ReadonlySet<string> = new Set(["Metric"]);
