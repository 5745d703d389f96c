/**
 * Rows of the Trace API for what OTLP brought besides spans: log records, data points, what came from whom, and what
 * metrics add up to.
 */
import { z } from "zod";
import { METRIC_TYPES, TEMPORALITIES } from "./metric.ts";
import { bucketsSchema, instant, money, texts } from "./row-values.ts";
import { SIGNALS } from "./signal.ts";

export const logRowSchema = z.object({
  at: instant.describe("when it happened, or was observed where the sender says nothing of that"),
  observedAt: instant,
  traceId: z.string(),
  spanId: z.string(),
  severityNumber: z.int().describe("0 (unspecified) to 24, as OpenTelemetry has it"),
  severityText: z.string(),
  eventName: z.string(),
  body: z.string(),
  service: z.string(),
  scopeName: z.string(),
  attributes: texts,
  resourceAttributes: texts,
  hidden: z.array(z.string()).describe("what was left out of it, as whoever asks lacks content.read"),
});
export type LogRow = z.infer<typeof logRowSchema>;

const count = z.string().regex(/^\d+$/).describe("unsigned integer of 64 bits");
const float = z.string().describe("double as text, such as 0.25, NaN or Infinity");

export const metricPointRowSchema = z.object({
  at: instant,
  startedAt: instant.nullable().describe("when the series began; null where the sender does not say"),
  name: z.string(),
  type: z.enum(METRIC_TYPES),
  unit: z.string(),
  description: z.string(),
  temporality: z.enum(TEMPORALITIES),
  monotonic: z.boolean(),
  service: z.string(),
  scopeName: z.string(),
  attributes: texts,
  resourceAttributes: texts,
  value: z.string().nullable().describe("of a gauge or sum, exact; null where none was recorded"),
  count: count.nullable(),
  sum: float.nullable(),
  min: float.nullable(),
  max: float.nullable(),
  bounds: z.array(float).describe("explicit bounds of a histogram, quantiles of a summary"),
  bucketValues: z.array(float).describe("counts by bucket of a histogram, values of a summary's quantiles"),
  contested: z.boolean().describe("other values came for the same series and instant; these came first, and count"),
});
export type MetricPointRow = z.infer<typeof metricPointRowSchema>;

export const sourceRowSchema = z.object({
  service: z.string(),
  signal: z.enum(SIGNALS),
  lastReceivedAt: instant,
  records24h: z.int().describe("spans, log records or data points of the last 24 hours, retries included"),
});
export type SourceRow = z.infer<typeof sourceRowSchema>;

export const metricTotalRowSchema = z.object({
  model: z.string(),
  provider: z.string(),
  sessionId: z.string(),
  buckets: bucketsSchema,
  calls: z.int().nullable().describe("null where the metrics do not tell"),
  providedCostUsd: money.nullable().describe("the sender's own figure"),
  flags: z.array(z.string()).describe("what is doubtful about the counts"),
  reconcileOnly: z.boolean().describe("calls of the same session are known: this total only checks them"),
});
export type MetricTotalRow = z.infer<typeof metricTotalRowSchema>;
