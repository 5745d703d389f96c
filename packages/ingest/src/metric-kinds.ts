/**
 * The five kinds of metric as data: where a kind stands in its metric, what it says of all its points, and which field
 * of a point fills what. The kinds number the same parts differently and mean the same by them, so that one reader
 * serves them all. Field numbers: opentelemetry-proto v1.11, metrics/v1/metrics.proto.
 */
import type { MetricType } from "@centspan/model";
import { tagOf, WIRE } from "./wire/wire-reader.ts";

/** Eight bytes each. */
export type FixedPart =
  | "startedAt"
  | "at"
  | "asDouble"
  | "asInt"
  | "count"
  | "sum"
  | "min"
  | "max"
  | "zeroCount"
  | "zeroThreshold";

type PointPart =
  | FixedPart
  | "attributes"
  | "exemplars"
  | "flags"
  | "scale"
  | "bucketCounts"
  | "bounds"
  | "positive"
  | "negative"
  | "quantiles";

/** Names in OTLP where they are others. */
const NAMES: Partial<Record<PointPart, string>> = {
  startedAt: "startTimeUnixNano",
  at: "timeUnixNano",
  bounds: "explicitBounds",
  quantiles: "quantileValues",
};

/** Everything else is eight bytes. Numbers in a list come packed or one by one. */
const WIRES: Partial<Record<PointPart, readonly number[]>> = {
  attributes: [WIRE.bytes],
  exemplars: [WIRE.bytes],
  positive: [WIRE.bytes],
  negative: [WIRE.bytes],
  quantiles: [WIRE.bytes],
  flags: [WIRE.varint],
  scale: [WIRE.varint],
  bucketCounts: [WIRE.bytes, WIRE.fixed64],
  bounds: [WIRE.bytes, WIRE.fixed64],
};

export type PointShape = {
  /** What a tag fills. */
  parts: ReadonlyMap<number, PointPart>;
  /** Names by field number, for complaints. */
  names: Readonly<Record<number, string>>;
};

function shape(parts: Readonly<Record<number, PointPart>>): PointShape {
  const entries = Object.entries(parts).map(([field, part]) => [Number(field), part] as const);
  const tags = entries.flatMap(([field, part]) =>
    (WIRES[part] ?? [WIRE.fixed64]).map((wire) => [tagOf(field, wire), part] as const),
  );
  return {
    parts: new Map(tags),
    names: Object.fromEntries(entries.map(([field, part]) => [field, NAMES[part] ?? part])),
  };
}

const NUMBER = shape({
  2: "startedAt",
  3: "at",
  4: "asDouble",
  5: "exemplars",
  6: "asInt",
  7: "attributes",
  8: "flags",
});
const HISTOGRAM = shape({
  2: "startedAt",
  3: "at",
  4: "count",
  5: "sum",
  6: "bucketCounts",
  7: "bounds",
  8: "exemplars",
  9: "attributes",
  10: "flags",
  11: "min",
  12: "max",
});
const EXPONENTIAL_HISTOGRAM = shape({
  1: "attributes",
  2: "startedAt",
  3: "at",
  4: "count",
  5: "sum",
  6: "scale",
  7: "zeroCount",
  8: "positive",
  9: "negative",
  10: "flags",
  11: "exemplars",
  12: "min",
  13: "max",
  14: "zeroThreshold",
});
const SUMMARY = shape({ 2: "startedAt", 3: "at", 4: "count", 5: "sum", 6: "quantiles", 7: "attributes", 8: "flags" });

export type MetricKind = {
  /** Of the metric's field that holds it. */
  tag: number;
  name: string;
  type: MetricType;
  point: PointShape;
  /** Parts that every point of this kind has; protobuf does not write them when they are 0. */
  always: ReadonlySet<FixedPart>;
  /** Names of the fields that hold the points and what is said of all of them, by number. */
  names: Readonly<Record<number, string>>;
};

const POINTS = { 1: "dataPoints" };
const TEMPORAL_POINTS = { ...POINTS, 2: "aggregationTemporality" };

const KINDS: readonly MetricKind[] = [
  { tag: tagOf(5, WIRE.bytes), name: "gauge", type: "gauge", point: NUMBER, always: new Set(), names: POINTS },
  {
    tag: tagOf(7, WIRE.bytes),
    name: "sum",
    type: "sum",
    point: NUMBER,
    always: new Set(),
    names: { ...TEMPORAL_POINTS, 3: "isMonotonic" },
  },
  {
    tag: tagOf(9, WIRE.bytes),
    name: "histogram",
    type: "histogram",
    point: HISTOGRAM,
    always: new Set(["count"]),
    names: TEMPORAL_POINTS,
  },
  {
    tag: tagOf(10, WIRE.bytes),
    name: "exponentialHistogram",
    type: "exponential_histogram",
    point: EXPONENTIAL_HISTOGRAM,
    always: new Set(["count"]),
    names: TEMPORAL_POINTS,
  },
  {
    tag: tagOf(11, WIRE.bytes),
    name: "summary",
    type: "summary",
    point: SUMMARY,
    always: new Set(["count", "sum"]),
    names: POINTS,
  },
];

/** By tag. */
export const METRIC_KINDS: ReadonlyMap<number, MetricKind> = new Map(KINDS.map((kind) => [kind.tag, kind]));
