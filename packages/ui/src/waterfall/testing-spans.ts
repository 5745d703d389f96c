/** Builds invented spans for tests: times in milliseconds from a fixed start. */
import type { SpanRow } from "@centspan/model";

const START_NS = 1_795_000_000_000_000_000n;
export const TRACE_ID = "a".repeat(32);

export const toInstant = (offsetNs: bigint): string => {
  const at = START_NS + offsetNs;
  const seconds = new Date(Number(at / 1_000_000n)).toISOString().slice(0, 19);
  return `${seconds}.${(at % 1_000_000_000n).toString().padStart(9, "0")}Z`;
};

export type SpanInput = Partial<SpanRow> & { spanId: string; parent?: string; fromMs?: number; toMs?: number };

export function makeSpan({ parent, fromMs = 0, toMs = 10, ...rest }: SpanInput): SpanRow {
  return {
    traceId: TRACE_ID,
    parentSpanId: parent ?? "",
    name: "work",
    service: "test",
    layer: "harness",
    startedAt: toInstant(BigInt(Math.round(fromMs * 1e6))),
    durationNs: BigInt(Math.round((toMs - fromMs) * 1e6)).toString(),
    status: "ok",
    facts: {},
    linked: false,
    links: [],
    costUsd: null,
    ...rest,
  };
}
