/**
 * The span vocabulary: the only source of names, types, units and docs of what the reference stack emits.
 * `gen_ai.*`, `http.*`, `error.*` and `process.*` follow OpenTelemetry's semantic conventions; the rest is `centspan.*`.
 * Add one: an entry in the file of its kind; the compiler then accepts it and the generated docs list it.
 */
import { API_ATTRIBUTES } from "./vocabulary/api-attributes.ts";
import type { AttributeDefinition } from "./vocabulary/attribute-definition.ts";
import { HARNESS_ATTRIBUTES } from "./vocabulary/harness-attributes.ts";
import { INFERENCE_ATTRIBUTES } from "./vocabulary/inference-attributes.ts";

export { METRICS, type MetricName } from "./vocabulary/metrics.ts";
export { SPANS, type SpanTemplate } from "./vocabulary/spans.ts";

export const ATTRIBUTES = { ...HARNESS_ATTRIBUTES, ...API_ATTRIBUTES, ...INFERENCE_ATTRIBUTES };

type AttributeName = keyof typeof ATTRIBUTES;

type ValueOf<T extends AttributeDefinition["type"]> = T extends "string"
  ? string
  : T extends "int" | "double"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "string[]"
        ? string[]
        : number[];

/** Attributes with the types of the vocabulary; absent values are left out. */
export type SpanAttributes = { [K in AttributeName]?: ValueOf<(typeof ATTRIBUTES)[K]["type"]> | undefined };
