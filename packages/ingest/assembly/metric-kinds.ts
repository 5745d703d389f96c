/**
 * The five kinds of metric as data: which field of a point fills what. The kinds number the same parts differently and
 * mean the same by them, so that one reader serves them all. The order is that of METRIC_TYPES.
 * Field numbers: opentelemetry-proto v1.11, metrics/v1/metrics.proto.
 */
import { BYTES, FIXED64, VARINT } from "./reader";

export const GAUGE: i32 = 0;
export const SUM: i32 = 1;
export const HISTOGRAM: i32 = 2;
export const EXPONENTIAL_HISTOGRAM: i32 = 3;
export const SUMMARY: i32 = 4;

/** Parts of eight bytes each come first: their numbers are places in the table of where they stand. */
export const STARTED_AT: u32 = 1;
export const AT: u32 = 2;
export const AS_DOUBLE: u32 = 3;
export const AS_INT: u32 = 4;
export const COUNT: u32 = 5;
export const SUM_OF: u32 = 6;
export const MIN: u32 = 7;
export const MAX: u32 = 8;
export const ZERO_COUNT: u32 = 9;
export const ZERO_THRESHOLD: u32 = 10;
export const FIXED_PARTS: u32 = 11;
export const ATTRIBUTES: u32 = 11;
export const EXEMPLARS: u32 = 12;
export const POINT_FLAGS: u32 = 13;
export const SCALE: u32 = 14;
export const BUCKET_COUNTS: u32 = 15;
export const BOUNDS: u32 = 16;
export const POSITIVE: u32 = 17;
export const NEGATIVE: u32 = 18;
export const QUANTILES: u32 = 19;

export const PART_NAMES: StaticArray<string> = [
  "",
  "startTimeUnixNano",
  "timeUnixNano",
  "asDouble",
  "asInt",
  "count",
  "sum",
  "min",
  "max",
  "zeroCount",
  "zeroThreshold",
  "attributes",
  "exemplars",
  "flags",
  "scale",
  "bucketCounts",
  "explicitBounds",
  "positive",
  "negative",
  "quantileValues",
];

/** By kind and field number; 0 for a field that the kind has not. */
const PARTS: StaticArray<StaticArray<u32>> = [
  [0, 0, STARTED_AT, AT, AS_DOUBLE, EXEMPLARS, AS_INT, ATTRIBUTES, POINT_FLAGS],
  [0, 0, STARTED_AT, AT, AS_DOUBLE, EXEMPLARS, AS_INT, ATTRIBUTES, POINT_FLAGS],
  [0, 0, STARTED_AT, AT, COUNT, SUM_OF, BUCKET_COUNTS, BOUNDS, EXEMPLARS, ATTRIBUTES, POINT_FLAGS, MIN, MAX],
  [
    0,
    ATTRIBUTES,
    STARTED_AT,
    AT,
    COUNT,
    SUM_OF,
    SCALE,
    ZERO_COUNT,
    POSITIVE,
    NEGATIVE,
    POINT_FLAGS,
    EXEMPLARS,
    MIN,
    MAX,
    ZERO_THRESHOLD,
  ],
  [0, 0, STARTED_AT, AT, COUNT, SUM_OF, QUANTILES, ATTRIBUTES, POINT_FLAGS],
];

export function partOf(kind: i32, field: u32): u32 {
  const parts = PARTS[kind];
  return field < u32(parts.length) ? parts[field] : 0;
}

/** Numbers in a list come packed or one by one. */
export function isWireOf(part: u32, wire: u32): bool {
  if (part < FIXED_PARTS) return wire === FIXED64;
  if (part === POINT_FLAGS || part === SCALE) return wire === VARINT;
  return wire === BYTES || (wire === FIXED64 && (part === BUCKET_COUNTS || part === BOUNDS));
}

/** Parts that every point of the kind has; protobuf does not write them when they are 0. */
export function isAlways(kind: i32, part: u32): bool {
  return (part === COUNT && kind >= HISTOGRAM) || (part === SUM_OF && kind === SUMMARY);
}
