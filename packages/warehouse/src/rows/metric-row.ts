/** Data points from the columns of `metrics` to the model. Floats cross as text, since JSON has no NaN and no infinity. */
import type { MetricPoint, MetricType, Temporality } from "@centspan/model";
import { nanoseconds } from "../instants.ts";

/** What a reader selects to get whole points. */
export const METRIC_COLUMNS = `name, type, unit, description, temporality, monotonic, service,
  attributes, resource_attributes, scope_name, series,
  ${nanoseconds("started_at")} AS started_ns, ${nanoseconds("at")} AS at_ns,
  toString(value_int) AS int_text, toString(value_double) AS double_text, count,
  toString(sum) AS sum_text, toString(min) AS min_text, toString(max) AS max_text,
  arrayMap(bound -> toString(bound), bounds) AS bound_texts,
  if(type = 'summary', arrayMap(value -> toString(value), quantile_values),
    arrayMap(bucket -> toString(bucket), bucket_counts)) AS bucket_texts`;

export type MetricRow = {
  name: string;
  type: MetricType;
  unit: string;
  description: string;
  temporality: Temporality;
  monotonic: boolean;
  service: string;
  attributes: Record<string, string>;
  resource_attributes: Record<string, string>;
  scope_name: string;
  series: string;
  started_ns: string;
  at_ns: string;
  int_text: string | null;
  double_text: string | null;
  count: string | null;
  sum_text: string | null;
  min_text: string | null;
  max_text: string | null;
  bound_texts: string[];
  bucket_texts: string[];
};

export const fromMetricRow = (row: MetricRow, contested: boolean): MetricPoint => ({
  name: row.name,
  type: row.type,
  unit: row.unit,
  description: row.description,
  temporality: row.temporality,
  monotonic: row.monotonic,
  service: row.service,
  attributes: row.attributes,
  resourceAttributes: row.resource_attributes,
  scopeName: row.scope_name,
  startedAtNs: BigInt(row.started_ns),
  atNs: BigInt(row.at_ns),
  value: row.int_text ?? (row.double_text === null ? null : String(readFloat(row.double_text))),
  count: row.count === null ? null : BigInt(row.count),
  sum: readNullableFloat(row.sum_text),
  min: readNullableFloat(row.min_text),
  max: readNullableFloat(row.max_text),
  bounds: row.bound_texts.map(readFloat),
  bucketValues: row.bucket_texts.map(readFloat),
  ...(contested && { contested }),
});

const NOT_FINITE: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

const readFloat = (text: string): number => NOT_FINITE[text] ?? Number(text);
const readNullableFloat = (text: string | null): number | null => (text === null ? null : readFloat(text));
