/**
 * The spans that belong to the replica and not to one request: engine steps and evictions. They stand side by side,
 * without parents, in traces of the replica; a new trace begins every 10,000 steps so that none grows without bound.
 */
import type { Step } from "@centspan/serving";
import { createTraceId, endSpan, type SpanAttributes, setAttributes, startSpan } from "@centspan/telemetry";
import type { Span, Tracer } from "@opentelemetry/api";

const STEPS_PER_TRACE = 10_000;

/** Of all sequences of a step; positions from the first on. */
export type DraftCounts = { acceptedTokens: number; acceptedAt: number[]; rejectedAt: number[] };

export type ReplicaSpans = {
  /** The span of a step, open so that requests can be linked to it; `endStep` closes it. */
  startStep(step: Step, startNs: bigint): Span;
  endStep(span: Span, done: { step: Step; startNs: bigint; endNs: bigint; drafts: DraftCounts }): void;
};

export type ReplicaSpansOptions = { tracer: Tracer; common: SpanAttributes; policy(): string };

export function createReplicaSpans({ tracer, common, policy }: ReplicaSpansOptions): ReplicaSpans {
  let traceId = createTraceId();
  return {
    startStep(step, startNs) {
      if (step.number % STEPS_PER_TRACE === 0) traceId = createTraceId();
      return startSpan(tracer, "inference.decode.step", {
        traceId,
        startNs,
        attributes: {
          ...common,
          "centspan.step.number": step.number,
          "centspan.step.batch_size": step.decodes.length,
          "centspan.step.context_tokens": step.decodeContextTokens,
          "centspan.step.prefill_tokens": step.prefillTokens,
          "centspan.step.prefill_pairs": step.prefillTokens === 0 ? undefined : Math.round(step.prefillAttentionPairs),
          "centspan.step.time_ms": step.stepTimeMs,
        },
      });
    },
    endStep(span, { step, startNs, endNs, drafts }) {
      if (step.draftModel !== null) {
        setAttributes(span, {
          "centspan.step.draft_model": step.draftModel,
          "centspan.step.draft_proposed": step.draftedTokens,
          "centspan.step.draft_accepted": drafts.acceptedTokens,
          "centspan.step.draft_accepted_at": drafts.acceptedAt,
          "centspan.step.draft_rejected_at": drafts.rejectedAt,
        });
      }
      endSpan(span, endNs);
      if (step.evicted.length === 0) return;
      const attributes = {
        ...common,
        "centspan.kv.policy": policy(),
        "centspan.kv.evicted_blocks": step.evicted.length,
        "centspan.kv.tier": "device",
      };
      const evict = startSpan(tracer, "inference.kv.evict", { traceId, startNs, attributes, links: [span] });
      endSpan(evict, startNs);
    },
  };
}
