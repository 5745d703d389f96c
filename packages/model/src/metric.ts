/** A metric's data point as it is stored. What a type does not have is null or empty. */
export const METRIC_TYPES = ["gauge", "sum", "histogram", "exponential_histogram", "summary"] as const;
export type MetricType = (typeof METRIC_TYPES)[number];

export const TEMPORALITIES = ["unspecified", "delta", "cumulative"] as const;
export type Temporality = (typeof TEMPORALITIES)[number];

export type MetricPoint = {
  name: string;
  type: MetricType;
  unit: string;
  description: string;
  temporality: Temporality;
  monotonic: boolean;
  service: string;
  attributes: Record<string, string>;
  resourceAttributes: Record<string, string>;
  scopeName: string;
  /** 0 where the sender does not say when the series began. */
  startedAtNs: bigint;
  atNs: bigint;
  /** Of a gauge or sum, as text: exact for integers of 64 bits. Null where there was no recorded value. */
  value: string | null;
  /** Of a histogram or summary. */
  count: bigint | null;
  sum: number | null;
  min: number | null;
  max: number | null;
  /** Explicit bounds of a histogram; quantiles of a summary. */
  bounds: number[];
  /** Counts by bucket of a histogram; values of a summary's quantiles, which may be fractions. */
  bucketValues: number[];
  /** Set where other values came for the same series and instant: this one came first, and counts. */
  contested?: true;
};
