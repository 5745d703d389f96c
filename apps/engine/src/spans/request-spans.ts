/**
 * The spans of one request in the inference layer: queue, lookup, prefill, decode, and the first three again after a
 * preemption. Times are the engine's schedule.
 * Invariant: prefill links to every step that computed a chunk of it, decode to every step that gave it a token, each
 * once, and each of those steps links back.
 */
import { type Admission, type ServingConfig, type ServingRequest, writeBlockKeys } from "@centspan/serving";
import { endSpan, linkSpan, type SpanAttributes, setAttributes, startSpan } from "@centspan/telemetry";
import type { Context, Span, Tracer } from "@opentelemetry/api";

export type RequestSpans = {
  admit(admission: Admission, atNs: bigint): void;
  preempt(atNs: bigint): void;
  /** `step` computed this many tokens of the prompt. */
  computeChunk(step: Span, tokens: number): void;
  /** A step so long computed nothing but prompts: of others, where this one has its prompt behind it. */
  waitForPrompts(stepTimeMs: number): void;
  /** `step` gave the request tokens: prefill is over, decoding has begun. */
  takeTokens(step: Span, taken: Taken): void;
  end(atNs: bigint, how: { aborted: boolean }): void;
};

/** Of a step: tokens for the request, and what of the step's time was not for them, by the model. */
type Taken = { count: number; atNs: bigint; lost: { interferenceMs: number; rejectedMs: number } };

/** What the engine says of its settings with each request. */
export type SaidSettings = Pick<ServingConfig, "maxSequences" | "tokenBudget"> & {
  policy: string;
  chunkedPrefill: boolean;
  router: { id: string };
  draftTokens: number | "auto";
};

export type RequestSpansOptions = {
  tracer: Tracer;
  /** The caller's span or, where it has none, a trace of its own. */
  place: { parent: Context } | { traceId: string };
  /** On every span of this engine. */
  common: SpanAttributes;
  cache: { blockTokens: number; capacityBlocks: number };
  request: Pick<ServingRequest, "id" | "promptTokens" | "blockKeys" | "priority" | "thread">;
  /** As they are at the moment. */
  settings(): SaidSettings;
  arrivalNs: bigint;
  queueDepth: number;
};

type Template = "inference.queue" | "inference.kv.lookup" | "inference.prefill" | "inference.decode";

export function startRequestSpans(options: RequestSpansOptions): RequestSpans {
  const { tracer, place, cache, request, settings, arrivalNs, queueDepth } = options;
  const common: SpanAttributes = { ...options.common, "centspan.engine.request_id": request.id };
  let isFirst = true;
  const start = (template: Template, startNs: bigint, attributes: SpanAttributes = {}): Span =>
    startSpan(tracer, template, { ...place, startNs, attributes: { ...common, ...attributes } });
  const startQueue = (atNs: bigint, depth: number): Span =>
    start("inference.queue", atNs, { "centspan.queue.depth": depth });

  let queue: Span | null = startQueue(arrivalNs, queueDepth);
  let prefill: { span: Span; chunks: number[] } | null = null;
  let decode: { span: Span; tokens: number; interferenceMs: number; rejectedMs: number } | null = null;

  const endQueue = (atNs: bigint): void => {
    if (queue) endSpan(queue, atNs);
    queue = null;
  };
  const endPrefill = (atNs: bigint): void => {
    if (!prefill) return;
    const { span, chunks } = prefill;
    const tokens = chunks.reduce((sum, chunk) => sum + chunk, 0);
    setAttributes(span, { "centspan.prefill.tokens": tokens, "centspan.prefill.chunks": chunks });
    endSpan(span, atNs);
    prefill = null;
  };
  const linkBothWays = (span: Span, step: Span): void => {
    linkSpan(span, step);
    linkSpan(step, span);
  };

  return {
    admit(admission, atNs) {
      endQueue(atNs);
      const lookup = start("inference.kv.lookup", atNs, {
        "centspan.kv.hit_blocks": admission.hitBlocks,
        "centspan.kv.miss_blocks": admission.missBlocks,
        "centspan.kv.expired_blocks": admission.expiredBlocks === 0 ? undefined : admission.expiredBlocks,
        "centspan.kv.hit_tokens": admission.hitTokens,
        "centspan.kv.block_tokens": cache.blockTokens,
        "centspan.kv.capacity_blocks": cache.capacityBlocks,
        "centspan.kv.tier": "device",
        ...describeSettings(settings()),
        ...(isFirst && describePrompt(request, admission.hitBlocks)),
      });
      isFirst = false;
      endSpan(lookup, atNs);
      prefill = { span: start("inference.prefill", atNs), chunks: [] };
    },
    preempt(atNs) {
      endPrefill(atNs);
      // It waits at the head of the queue.
      queue = startQueue(atNs, 0);
    },
    computeChunk(step, tokens) {
      if (!prefill) return;
      prefill.chunks.push(tokens);
      linkBothWays(prefill.span, step);
    },
    waitForPrompts(stepTimeMs) {
      if (decode && !prefill && !queue) decode.interferenceMs += stepTimeMs;
    },
    takeTokens(step, { count, atNs, lost }) {
      endPrefill(atNs);
      decode ??= { span: start("inference.decode", atNs), tokens: 0, interferenceMs: 0, rejectedMs: 0 };
      decode.tokens += count;
      decode.interferenceMs += lost.interferenceMs;
      decode.rejectedMs += lost.rejectedMs;
      linkBothWays(decode.span, step);
    },
    end(atNs, { aborted }) {
      const last = decode?.span ?? prefill?.span ?? queue;
      if (aborted && last) setAttributes(last, { "centspan.stream.aborted": true });
      endQueue(atNs);
      endPrefill(atNs);
      if (!decode) return;
      const { tokens, interferenceMs, rejectedMs } = decode;
      setAttributes(decode.span, {
        "centspan.decode.tokens": tokens,
        "centspan.decode.interference_ms": interferenceMs > 0 ? interferenceMs : undefined,
        "centspan.decode.rejected_ms": rejectedMs > 0 ? rejectedMs : undefined,
      });
      endSpan(decode.span, atNs);
      decode = null;
    },
  };
}

const describeSettings = (settings: SaidSettings): SpanAttributes => ({
  "centspan.kv.policy": settings.policy,
  "centspan.engine.max_sequences": settings.maxSequences,
  "centspan.engine.token_budget": settings.tokenBudget,
  "centspan.engine.chunked_prefill": settings.chunkedPrefill,
  "centspan.engine.router": settings.router.id,
  "centspan.engine.draft_tokens": String(settings.draftTokens),
});

/** What a simulation has to know of the request; said once, not again after a preemption. */
function describePrompt(
  { promptTokens, blockKeys, priority = "interactive", thread }: RequestSpansOptions["request"],
  hitBlocks: number,
): SpanAttributes {
  const { knownBlocks, keys } = writeBlockKeys(blockKeys, hitBlocks);
  return {
    "centspan.prompt.tokens": promptTokens,
    "centspan.prefix.known_blocks": knownBlocks,
    "centspan.prefix.block_keys": keys === "" ? undefined : keys,
    "centspan.engine.priority": priority,
    "centspan.engine.thread": thread && `${thread.runId} ${thread.threadId}`,
  };
}
