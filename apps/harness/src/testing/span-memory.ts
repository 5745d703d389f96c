/** The real telemetry with spans kept in the process, their parents resolved to names. One per test file. */
import { createMemoryExporter, startTelemetry, type Telemetry } from "@centspan/telemetry";

export type KeptSpan = {
  id: string;
  name: string;
  parent: string | null;
  attributes: Record<string, unknown>;
  failed: boolean;
};
export type SpanMemory = {
  telemetry: Telemetry;
  spans(): Promise<KeptSpan[]>;
  traceIds(): Promise<Set<string>>;
  reset(): Promise<void>;
};

const ERROR_STATUS = 2;

export function openSpanMemory(): SpanMemory {
  const exporter = createMemoryExporter();
  const telemetry = startTelemetry({
    service: "test",
    version: "0",
    otlpUrl: "http://unused",
    ingestKey: "",
    exporter,
  });
  const finished = async () => {
    await telemetry.flush();
    return exporter.getFinishedSpans();
  };
  return {
    telemetry,
    traceIds: async () => new Set((await finished()).map((span) => span.spanContext().traceId)),
    async spans() {
      const spans = await finished();
      const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
      return spans.map((span) => ({
        id: span.spanContext().spanId,
        name: span.name,
        parent: span.parentSpanContext ? (names.get(span.parentSpanContext.spanId) ?? "missing") : null,
        attributes: span.attributes,
        failed: span.status.code === ERROR_STATUS,
      }));
    },
    async reset() {
      await telemetry.flush();
      exporter.reset();
    },
  };
}
