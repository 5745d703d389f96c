/** OTLP/JSON export requests → records as the store would give them: ids in lower case, attribute values as text. */
import type { LogRecord, MetricPoint, MetricType, SpanRecord, Temporality } from "@centspan/model";

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean };
type Attribute = { key: string; value: Value };
type Resource = { attributes?: Attribute[] };
type Scope = { name?: string };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes?: Attribute[];
};
type OtlpLog = {
  timeUnixNano?: string;
  observedTimeUnixNano?: string;
  traceId?: string;
  spanId?: string;
  eventName?: string;
  attributes?: Attribute[];
};
type OtlpPoint = {
  startTimeUnixNano?: string;
  timeUnixNano: string;
  asInt?: string;
  asDouble?: number;
  count?: string | number;
  sum?: number;
  attributes?: Attribute[];
};
type OtlpData = { aggregationTemporality?: number; isMonotonic?: boolean; dataPoints: OtlpPoint[] };
type OtlpMetric = { name: string; unit?: string; sum?: OtlpData; histogram?: OtlpData };

export type Export = {
  resourceSpans?: { resource?: Resource; scopeSpans: { scope?: Scope; spans: OtlpSpan[] }[] }[];
  resourceLogs?: { resource?: Resource; scopeLogs: { scope?: Scope; logRecords: OtlpLog[] }[] }[];
  resourceMetrics?: { resource?: Resource; scopeMetrics: { scope?: Scope; metrics: OtlpMetric[] }[] }[];
};

export type Signals = { spans: SpanRecord[]; logs: LogRecord[]; points: MetricPoint[] };

/** What every record has from around it. */
type Around = { service: string; scopeName: string; resourceAttributes: Record<string, string> };

export const readExports = (exports: readonly Export[]): Signals => ({
  spans: exports.flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans }) => spans.map((span) => readSpan(span, around(resource, scope)))),
    ),
  ),
  logs: exports.flatMap(({ resourceLogs = [] }) =>
    resourceLogs.flatMap(({ resource, scopeLogs }) =>
      scopeLogs.flatMap(({ scope, logRecords }) => logRecords.map((log) => readLog(log, around(resource, scope)))),
    ),
  ),
  points: exports.flatMap(({ resourceMetrics = [] }) =>
    resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
      scopeMetrics.flatMap(({ scope, metrics }) =>
        metrics.flatMap((each) => readMetric(each, around(resource, scope))),
      ),
    ),
  ),
});

function around(resource: Resource | undefined, scope: Scope | undefined): Around {
  const resourceAttributes = readAttributes(resource?.attributes);
  return { service: resourceAttributes["service.name"] ?? "", scopeName: scope?.name ?? "", resourceAttributes };
}

const readSpan = (span: OtlpSpan, around: Around): SpanRecord => ({
  ...around,
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? "",
  name: span.name,
  kind: "client",
  startedAtNs: BigInt(span.startTimeUnixNano),
  endedAtNs: BigInt(span.endTimeUnixNano),
  status: span.status?.code === 2 ? "error" : "unset",
  statusMessage: "",
  attributes: readAttributes(span.attributes),
  trusted: false,
  events: [],
  links: [],
});

function readLog(log: OtlpLog, around: Around): LogRecord {
  const attributes = readAttributes(log.attributes);
  const observedAtNs = BigInt(log.observedTimeUnixNano ?? 0);
  const atNs = BigInt(log.timeUnixNano ?? 0);
  return {
    ...around,
    atNs: atNs === 0n ? observedAtNs : atNs,
    observedAtNs,
    traceId: log.traceId ?? "",
    spanId: log.spanId ?? "",
    severityNumber: 9,
    severityText: "",
    eventName: log.eventName || (attributes["event.name"] ?? ""),
    body: "",
    attributes,
  };
}

function readMetric({ name, unit = "", sum, histogram }: OtlpMetric, around: Around): MetricPoint[] {
  const type: MetricType = sum ? "sum" : "histogram";
  const data = sum ?? histogram;
  const temporalities: readonly Temporality[] = ["unspecified", "delta", "cumulative"];
  return (data?.dataPoints ?? []).map((point) => ({
    ...around,
    name,
    type,
    unit,
    description: "",
    temporality: temporalities[data?.aggregationTemporality ?? 0] ?? "unspecified",
    monotonic: data?.isMonotonic ?? false,
    attributes: readAttributes(point.attributes),
    startedAtNs: BigInt(point.startTimeUnixNano ?? 0),
    atNs: BigInt(point.timeUnixNano),
    value: point.asInt ?? (point.asDouble === undefined ? null : String(point.asDouble)),
    count: point.count === undefined ? null : BigInt(point.count),
    sum: point.sum ?? null,
    min: null,
    max: null,
    bounds: [],
    bucketValues: [],
  }));
}

const readAttributes = (attributes: Attribute[] = []): Record<string, string> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      String(value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? ""),
    ]),
  );
