/** The collector's own counts as metrics, by the vocabulary's names; read when they are exported, from its status. */
import type { CollectorStatus } from "@centspan/model";
import type { Metrics, Observation } from "@centspan/telemetry";

export function reportMetrics(metrics: Metrics, readStatus: () => CollectorStatus): void {
  const one = (read: (status: CollectorStatus) => number | null) => (): Observation[] => {
    const value = read(readStatus());
    return value === null ? [] : [{ value, attributes: {} }];
  };
  metrics.observe("centspan.collector.requests", () =>
    flatten(readStatus().requests, (signal, outcome) => ({ "centspan.signal": signal, "centspan.outcome": outcome })),
  );
  metrics.observe("centspan.collector.records.accepted", () =>
    Object.entries(readStatus().accepted).map(([signal, value]) => ({
      value,
      attributes: { "centspan.signal": signal },
    })),
  );
  metrics.observe("centspan.collector.records.rejected", () =>
    flatten(readStatus().rejected, (signal, reason) => ({ "centspan.signal": signal, "centspan.reason": reason })),
  );
  metrics.observe("centspan.collector.rows.inserted", () =>
    Object.entries(readStatus().loader.insertedRows).map(([table, value]) => ({
      value,
      attributes: { "centspan.table": table },
    })),
  );
  metrics.observe(
    "centspan.collector.frames.refused",
    one(({ loader }) => loader.refusedFrames),
  );
  metrics.observe(
    "centspan.collector.lag",
    one(({ loader }) => loader.lagS),
  );
  metrics.observe(
    "centspan.collector.spool.size",
    one(({ spool }) => spool.bytes),
  );
  metrics.observe(
    "centspan.collector.spool.limit",
    one(({ spool }) => spool.maxBytes),
  );
  metrics.observe(
    "centspan.collector.spool.frames",
    one(({ spool }) => spool.frames),
  );
  metrics.observe(
    "centspan.collector.spool.age",
    one(({ spool }) => spool.oldestAgeS ?? 0),
  );
  metrics.observe(
    "process.memory.usage",
    one(() => process.memoryUsage.rss()),
  );
}

const flatten = (
  counts: Readonly<Record<string, Readonly<Record<string, number>>>>,
  name: (outer: string, inner: string) => Record<string, string>,
): Observation[] =>
  Object.entries(counts).flatMap(([outer, inner]) =>
    Object.entries(inner).map(([code, value]) => ({ value, attributes: name(outer, code) })),
  );
