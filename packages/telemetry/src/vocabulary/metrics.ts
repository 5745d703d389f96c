/** What services report of themselves. */
type MetricDefinition = { kind: "counter" | "gauge"; unit: string; by: readonly string[]; doc: string };

/** Units by UCUM; `by` are the attributes that tell its series apart. */
export const METRICS = {
  "centspan.collector.requests": {
    kind: "counter",
    unit: "{request}",
    by: ["centspan.signal", "centspan.outcome"],
    doc: "Export requests by how they ended: ok, or the error code",
  },
  "centspan.collector.records.accepted": {
    kind: "counter",
    unit: "{record}",
    by: ["centspan.signal"],
    doc: "Spans, log records or data points that were acknowledged, retries included",
  },
  "centspan.collector.records.rejected": {
    kind: "counter",
    unit: "{record}",
    by: ["centspan.signal", "centspan.reason"],
    doc: "Records that were refused alone, by code",
  },
  "centspan.collector.rows.inserted": {
    kind: "counter",
    unit: "{row}",
    by: ["centspan.table"],
    doc: "Rows that the warehouse has taken",
  },
  "centspan.collector.frames.refused": {
    kind: "counter",
    unit: "{frame}",
    by: [],
    doc: "Frames that the warehouse refused for what they are",
  },
  "centspan.collector.lag": {
    kind: "gauge",
    unit: "s",
    by: [],
    doc: "From durable to stored, for the latest insert of the slowest table",
  },
  "centspan.collector.spool.size": { kind: "gauge", unit: "By", by: [], doc: "What waits for the warehouse" },
  "centspan.collector.spool.limit": { kind: "gauge", unit: "By", by: [], doc: "What may wait for it" },
  "centspan.collector.spool.frames": { kind: "gauge", unit: "{frame}", by: [], doc: "Frames that wait for it" },
  "centspan.collector.spool.age": { kind: "gauge", unit: "s", by: [], doc: "Age of the oldest of them" },
  "process.memory.usage": { kind: "gauge", unit: "By", by: [], doc: "Physical memory of the process" },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;
