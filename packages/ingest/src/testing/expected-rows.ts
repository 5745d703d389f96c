/**
 * For tests only: the rows that a request must become, in the slowest and plainest way: protobufjs
 * decodes it into objects, and each column is an expression over them.
 */
import { crc32 } from "node:zlib";
import { isUsageAttribute } from "@centspan/dialects";
import { METRIC_TYPES, type Signal, SPAN_KINDS, SPAN_STATUSES, TEMPORALITIES } from "@centspan/model";
import type protobuf from "protobufjs";
import { REQUEST_TYPES } from "./otlp-schema.ts";
import type { NativeRow } from "./read-native.ts";

type Decoded = ReturnType<protobuf.Type["toObject"]>;
export type Expected = { rows: NativeRow[]; rejected: number };

const decode = (signal: Signal, body: Uint8Array): Decoded =>
  REQUEST_TYPES[signal].toObject(REQUEST_TYPES[signal].decode(body), {
    longs: String,
    bytes: String,
    defaults: true,
    oneofs: true,
  });

function valueText(value: Decoded | null, isNested: boolean): string {
  const member: string | undefined = value?.value;
  if (!value || member === undefined) return isNested ? "null" : "";
  const content = value[member];
  if (member === "arrayValue") return `[${content.values.map((item: Decoded) => valueText(item, true)).join(",")}]`;
  if (member === "kvlistValue") {
    const pairs = content.values.map((pair: Decoded) => `${JSON.stringify(pair.key)}:${valueText(pair.value, true)}`);
    return `{${pairs.join(",")}}`;
  }
  const isText = member === "stringValue" || member === "bytesValue" || content === Infinity || content === -Infinity;
  return isNested && (isText || Number.isNaN(content)) ? JSON.stringify(String(content)) : String(content);
}

const attributesOf = (list: Decoded[]): Record<string, string> =>
  Object.fromEntries(list.map(({ key, value }) => [key, valueText(value, false)]));

const idOf = (base64: string): string => {
  const hex = Buffer.from(base64, "base64").toString("hex");
  return /^0*$/.test(hex) ? "" : hex;
};

const isInstant = (ns: string): boolean => BigInt(ns) < 2n ** 63n;

const SESSIONS = ["gen_ai.conversation.id", "session.id", "conversation.id"];
const sessionOf = (attributes: Record<string, string>): string => {
  const thread = attributes["thread.id"] ?? "";
  const ids = [...SESSIONS.map((name) => attributes[name] ?? ""), /^\d*$/.test(thread) ? "" : thread];
  return ids.find((session) => session !== "") ?? "";
};

const NO_CALLS = ["", "invoke_agent", "create_agent", "execute_tool"];
const mayBeCall = (attributes: Record<string, string>): boolean =>
  Object.keys(attributes).some(isUsageAttribute) ||
  !NO_CALLS.includes(attributes["gen_ai.operation.name"] ?? "") ||
  attributes["openinference.span.kind"] === "LLM" ||
  attributes["langfuse.observation.type"] === "generation";

const sharedColumns = (workspace: string, resource: Decoded | null, scope: Decoded | null): NativeRow => {
  const resourceAttributes = attributesOf(resource?.attributes ?? []);
  return {
    workspace,
    service: resourceAttributes["service.name"] ?? "",
    resource_attributes: resourceAttributes,
    scope_name: scope?.name ?? "",
    scope_version: scope?.version ?? "",
  };
};

export function expectLogs(workspace: string, body: Uint8Array): Expected {
  const rows: NativeRow[] = [];
  const request_hash = (BigInt(body.length) << 32n) + BigInt(crc32(body));
  let position = -1;
  let rejected = 0;
  for (const { resource, scopeLogs } of decode("logs", body).resourceLogs) {
    for (const { scope, logRecords } of scopeLogs) {
      for (const log of logRecords) {
        position += 1;
        if (!isInstant(log.timeUnixNano) || !isInstant(log.observedTimeUnixNano)) {
          rejected += 1;
          continue;
        }
        const attributes = attributesOf(log.attributes);
        rows.push({
          ...sharedColumns(workspace, resource, scope),
          at: BigInt(log.timeUnixNano === "0" ? log.observedTimeUnixNano : log.timeUnixNano),
          observed_at: BigInt(log.observedTimeUnixNano),
          trace_id: idOf(log.traceId),
          span_id: idOf(log.spanId),
          severity_number: log.severityNumber,
          severity_text: log.severityText,
          event_name: log.eventName || (attributes["event.name"] ?? ""),
          body: valueText(log.body, false),
          attributes,
          flags: log.flags,
          dropped_attributes: log.droppedAttributesCount,
          session_id: sessionOf(attributes),
          may_be_call: mayBeCall(attributes),
          request_hash,
          position,
        });
      }
    }
  }
  return { rows, rejected };
}

export function expectSpans(workspace: string, body: Uint8Array): Expected {
  const rows: NativeRow[] = [];
  let rejected = 0;
  for (const { resource, scopeSpans } of decode("traces", body).resourceSpans) {
    for (const { scope, spans } of scopeSpans) {
      for (const span of spans) {
        const instants = [span.startTimeUnixNano, span.endTimeUnixNano];
        for (const event of span.events) instants.push(event.timeUnixNano);
        const ids = [idOf(span.traceId), idOf(span.spanId)];
        if (ids.includes("") || !instants.every(isInstant)) rejected += 1;
        else rows.push({ ...sharedColumns(workspace, resource, scope), trusted: false, ...spanColumns(span) });
      }
    }
  }
  return { rows, rejected };
}

function spanColumns(span: Decoded): NativeRow {
  const attributes = attributesOf(span.attributes);
  const layer = attributes["centspan.layer"] ?? "";
  const parent = idOf(span.parentSpanId);
  return {
    trace_id: idOf(span.traceId),
    span_id: idOf(span.spanId),
    parent_span_id: parent,
    trace_state: span.traceState,
    flags: span.flags,
    name: span.name,
    kind: SPAN_KINDS[span.kind],
    started_at: BigInt(span.startTimeUnixNano),
    ended_at: BigInt(span.endTimeUnixNano),
    status: SPAN_STATUSES[span.status?.code ?? 0],
    status_message: span.status?.message ?? "",
    attributes,
    events: span.events.map((event: Decoded) => ({
      at: BigInt(event.timeUnixNano),
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    links: span.links.map((link: Decoded) => ({
      trace_id: idOf(link.traceId),
      span_id: idOf(link.spanId),
      attributes: attributesOf(link.attributes),
    })),
    dropped_attributes: span.droppedAttributesCount,
    dropped_events: span.droppedEventsCount,
    dropped_links: span.droppedLinksCount,
    layer: ["harness", "api", "inference"].includes(layer) ? layer : "other",
    team: attributes["centspan.team.id"] ?? "",
    model: attributes["gen_ai.request.model"] ?? "",
    task: attributes["centspan.task.id"] ?? "",
    run_id: attributes["centspan.run.id"] ?? "",
    session_id: sessionOf(attributes),
    may_be_call: mayBeCall(attributes),
    of_replica: parent === "" && ["inference.decode.step", "inference.kv.evict"].includes(span.name),
  };
}

const KINDS = ["gauge", "sum", "histogram", "exponentialHistogram", "summary"];
const bigints = (list: string[] | undefined): bigint[] => (list ?? []).map(BigInt);

export function expectMetrics(workspace: string, body: Uint8Array): Expected {
  const rows: NativeRow[] = [];
  let rejected = 0;
  for (const { resource, scopeMetrics } of decode("metrics", body).resourceMetrics) {
    for (const { scope, metrics } of scopeMetrics) {
      for (const metric of metrics) {
        const data = metric[metric.data] ?? { dataPoints: [] };
        for (const point of data.dataPoints) {
          const exemplars: Decoded[] = point.exemplars ?? [];
          const instants = [point.timeUnixNano, point.startTimeUnixNano, ...exemplars.map((one) => one.timeUnixNano)];
          if (!instants.every(isInstant)) {
            rejected += 1;
            continue;
          }
          rows.push({ ...sharedColumns(workspace, resource, scope), ...pointColumns(metric, data, point) });
        }
      }
    }
  }
  return { rows, rejected };
}

function pointColumns(metric: Decoded, data: Decoded, point: Decoded): NativeRow {
  const attributes = attributesOf(point.attributes);
  const isRecorded = (point.flags & 1) === 0;
  const recorded = <T>(value: T | undefined): T | null => (isRecorded ? (value ?? null) : null);
  const quantiles: Decoded[] = point.quantileValues ?? [];
  return {
    name: metric.name,
    type: METRIC_TYPES[KINDS.indexOf(metric.data)],
    unit: metric.unit,
    description: metric.description,
    temporality: TEMPORALITIES[data.aggregationTemporality ?? 0],
    monotonic: data.isMonotonic ?? false,
    attributes,
    started_at: BigInt(point.startTimeUnixNano),
    at: BigInt(point.timeUnixNano),
    flags: point.flags,
    value_int: recorded(point.asInt === undefined ? undefined : BigInt(point.asInt)),
    value_double: recorded(point.asDouble),
    count: recorded(point.count === undefined ? undefined : BigInt(point.count)),
    sum: recorded(point.sum),
    min: recorded(point.min),
    max: recorded(point.max),
    bounds: [...(point.explicitBounds ?? []), ...quantiles.map(({ quantile }) => quantile)],
    bucket_counts: bigints(point.bucketCounts),
    quantile_values: quantiles.map(({ value }) => value),
    scale: point.scale ?? 0,
    zero_count: BigInt(point.zeroCount ?? 0),
    zero_threshold: point.zeroThreshold ?? 0,
    positive_offset: point.positive?.offset ?? 0,
    positive_counts: bigints(point.positive?.bucketCounts),
    negative_offset: point.negative?.offset ?? 0,
    negative_counts: bigints(point.negative?.bucketCounts),
    exemplars: (point.exemplars ?? []).map((one: Decoded) => ({
      at: BigInt(one.timeUnixNano),
      value: Number(one.asDouble ?? one.asInt ?? Number.NaN),
      trace_id: idOf(one.traceId),
      span_id: idOf(one.spanId),
      attributes: attributesOf(one.filteredAttributes),
    })),
    session_id: sessionOf(attributes),
  };
}
