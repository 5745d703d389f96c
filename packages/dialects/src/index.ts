export { type ApiShape, apiShapes } from "./api-shapes.ts";
export { isUsageAttribute } from "./is-usage-attribute.ts";
export { normaliseProvider } from "./normalise-provider.ts";
export { parseAmount, parseCount } from "./parse-values.ts";
export { type ModelFacts, readFirstTokenMs, readModelFacts } from "./read-facts.ts";
export { type PayloadUsage, readPayload } from "./read-payload.ts";
export { readUsage } from "./read-usage.ts";
export { type Attributes, createReader, type Reader } from "./reader.ts";
export {
  isAgentSpan,
  isModelSpan,
  modelSpanMarks,
  type Recognised,
  recogniseMetric,
  recogniseRecord,
  recogniseSpan,
  usageMetricNames,
} from "./recognise.ts";
export { regionOf } from "./region-of.ts";
export { dialects } from "./registry.gen.ts";
export { spanAttributeNames } from "./span-attributes.ts";
export { type Counts, splitCall, splitCounts, type UsageReading } from "./split-counts.ts";
