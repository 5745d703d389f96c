/** Log records, data points, sources and totals of metrics as rows of the wire. */
import type { MetricTotal } from "@centspan/attribution";
import { formatDecimal, formatInstant } from "@centspan/base";
import type {
  LogRecord,
  LogRow,
  MetricPoint,
  MetricPointRow,
  MetricTotalRow,
  Source,
  SourceRow,
} from "@centspan/model";

export function toLogRow({ atNs, observedAtNs, ...same }: LogRecord): LogRow {
  return { ...same, at: formatInstant(atNs), observedAt: formatInstant(observedAtNs), hidden: [] };
}

export function toMetricPointRow({ startedAtNs, atNs, ...same }: MetricPoint): MetricPointRow {
  return {
    ...same,
    at: formatInstant(atNs),
    startedAt: startedAtNs === 0n ? null : formatInstant(startedAtNs),
    count: same.count?.toString() ?? null,
    sum: same.sum?.toString() ?? null,
    min: same.min?.toString() ?? null,
    max: same.max?.toString() ?? null,
    bounds: same.bounds.map(String),
    bucketValues: same.bucketValues.map(String),
    contested: same.contested === true,
  };
}

export const toSourceRow = ({ service, signal, lastReceivedAtNs, records }: Source): SourceRow => ({
  service,
  signal,
  lastReceivedAt: formatInstant(lastReceivedAtNs),
  records24h: records,
});

export function toMetricTotalRow({ callCount, providedCostUsd, ...same }: MetricTotal): MetricTotalRow {
  return {
    ...same,
    calls: callCount,
    providedCostUsd: providedCostUsd === null ? null : formatDecimal(providedCostUsd),
  };
}
