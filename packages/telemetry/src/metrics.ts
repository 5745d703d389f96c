/**
 * Metrics of one service: observed values of the vocabulary, exported as OTLP/HTTP protobuf to the collector.
 * A value is read only when it is exported; what can't be delivered is said on stderr and comes again with the next export.
 */
import { ExportResultCode } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { METRICS, type MetricName } from "./vocabulary.ts";

type MetricsOptions = {
  service: string;
  version: string;
  /** Base address of the collector, such as http://127.0.0.1:4318. */
  otlpUrl: string;
  /** Empty where the collector takes data without a credential (loopback, one user). */
  ingestKey: string;
  everyMs: number;
};

export type Observation = { value: number; attributes: Record<string, string> };

export type Metrics = {
  /** `read` is called for every export. */
  observe(name: MetricName, read: () => readonly Observation[]): void;
  flush(): Promise<void>;
  /** Exports once more. */
  stop(): Promise<void>;
};

export function startMetrics(options: MetricsOptions): Metrics {
  const exporter = new OTLPMetricExporter({
    url: `${options.otlpUrl}/v1/metrics`,
    headers: options.ingestKey === "" ? {} : { authorization: `Bearer ${options.ingestKey}` },
  });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ "service.name": options.service, "service.version": options.version }),
    readers: [
      new PeriodicExportingMetricReader({
        exporter: reportFailures(exporter),
        exportIntervalMillis: options.everyMs,
        exportTimeoutMillis: Math.min(options.everyMs, 10_000),
      }),
    ],
  });
  const meter = provider.getMeter("centspan", options.version);
  return {
    observe(name, read) {
      const { kind, unit, doc } = METRICS[name];
      const settings = { unit, description: doc };
      const instrument =
        kind === "counter"
          ? meter.createObservableCounter(name, settings)
          : meter.createObservableGauge(name, settings);
      instrument.addCallback((result) => {
        for (const { value, attributes } of read()) result.observe(value, attributes);
      });
    },
    flush: () => provider.forceFlush(),
    stop: () => provider.shutdown(),
  };
}

function reportFailures(exporter: OTLPMetricExporter): PushMetricExporter {
  return {
    export: (metrics, done) =>
      exporter.export(metrics, (result) => {
        if (result.code === ExportResultCode.FAILED) {
          process.stderr.write(
            `telemetry: metrics were not delivered: ${result.error?.message ?? "no reason given"}\n`,
          );
        }
        done(result);
      }),
    selectAggregationTemporality: (instrument) => exporter.selectAggregationTemporality(instrument),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
