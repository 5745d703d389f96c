export { isUsageAttribute } from "./is-usage-attribute.ts";
export { type ModelFacts, readModelFacts } from "./read-facts.ts";
export { readUsage, type UsageReading } from "./read-usage.ts";
export { recogniseDialect } from "./recognise.ts";
export { dialects } from "./registry.gen.ts";
