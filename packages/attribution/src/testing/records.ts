/** Plain records, of which a test states only what it is about. */
import type { SpanRecord } from "@centspan/model";

export const hex = (n: number): string => n.toString(16).padStart(16, "0");
export const TRACE = "a".repeat(32);

/** In May 2026. */
export const START_NS = 1_780_000_000_000_000_000n;

export const span = (n: number, facts: Partial<SpanRecord> = {}): SpanRecord => ({
  traceId: TRACE,
  spanId: hex(n),
  parentSpanId: "",
  name: `span ${n}`,
  kind: "client",
  service: "app",
  startedAtNs: START_NS + BigInt(n) * 1000n,
  endedAtNs: START_NS + BigInt(n) * 1000n + 500n,
  status: "unset",
  statusMessage: "",
  attributes: {},
  resourceAttributes: {},
  scopeName: "",
  trusted: false,
  events: [],
  links: [],
  ...facts,
});

export const chat = (input: number, more: Record<string, string> = {}): Record<string, string> => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "centspan",
  "gen_ai.request.model": "scripted-strong",
  "gen_ai.usage.input_tokens": String(input),
  "gen_ai.usage.output_tokens": "1",
  ...more,
});
