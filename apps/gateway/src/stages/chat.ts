/**
 * Stage `chat {model}`: the billable call. Its span carries what the upstream reported about it, and only that:
 * usage that was not reported is absent and flagged, never zero.
 */
import { type SpanAttributes, setAttributes, withSpan, writeTraceContext } from "@centspan/telemetry";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Dispatcher } from "undici";
import type { Exchange } from "../exchange.ts";
import { type CallFacts, createCallFacts, type InferenceRequest } from "../protocols/protocol.ts";
import { addMembers } from "../upstream/add-members.ts";
import { type AnswerReader, createStreamReader, createWholeReader } from "../upstream/answer-reader.ts";
import { forwardAnswer } from "../upstream/forward-answer.ts";
import { isAbort, selectRequestHeaders, type Upstream } from "../upstream/upstream.ts";
import type { SafetyWatch } from "./check-safety.ts";
import type { ParsedBody } from "./parse.ts";

export type ChatInput = {
  upstream: Upstream;
  request: InferenceRequest;
  body: ParsedBody;
  tokenIds: number[];
  safety: SafetyWatch;
};

/** Asks the upstream and forwards its answer; returns the bytes sent to the client. */
export function chat(exchange: Exchange, input: ChatInput): Promise<number> {
  const { upstream, request, safety } = input;
  const attributes = { ...exchange.identity, ...describeRequest(request, upstream) };
  const options = { parent: exchange.serverContext, subject: request.model, attributes };
  return withSpan(exchange.tracer, "chat {model}", options, async (span) => {
    const call = new AbortController();
    safety.inferenceStarted();
    try {
      const sentMs = performance.now();
      const answer = await send(exchange, input, span, call);
      return await passOn(exchange, input, { span, call, answer, sentMs });
    } catch (thrown) {
      if (!exchange.sink.gone.aborted || !isAbort(thrown)) throw thrown;
      // The client left before an answer began.
      setAttributes(span, { "centspan.stream.aborted": true, "centspan.usage.missing": true });
      return 0;
    } finally {
      safety.inferenceEnded();
    }
  });
}

const describeRequest = (request: InferenceRequest, upstream: Upstream): SpanAttributes => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": upstream.provider,
  "gen_ai.request.model": request.model,
  "gen_ai.request.reasoning.level": request.effort === "" ? undefined : request.effort,
  "centspan.provenance": upstream.provenance,
});

async function send(exchange: Exchange, input: ChatInput, span: Span, call: AbortController) {
  const { upstream, request, body } = input;
  const { gone } = exchange.sink;
  const cancel = (): void => call.abort();
  gone.addEventListener("abort", cancel);
  if (gone.aborted) cancel();
  const tokens = upstream.takesTokenIds ? { prompt_token_ids: input.tokenIds } : {};
  try {
    return await upstream.send({
      method: "POST",
      path: exchange.protocol.route,
      headers: { ...selectRequestHeaders(exchange.headers, upstream), ...writeTraceContext(span) },
      body: addMembers(body.bytes, body.json, { ...request.additions, ...tokens }),
      signal: call.signal,
    });
  } finally {
    // From here on whether a client may leave depends on what it has got.
    gone.removeEventListener("abort", cancel);
  }
}

type RunningCall = { span: Span; call: AbortController; answer: Dispatcher.ResponseData; sentMs: number };

async function passOn(exchange: Exchange, input: ChatInput, running: RunningCall): Promise<number> {
  const { protocol, sink } = exchange;
  const { span, call, answer, sentMs } = running;
  const facts = createCallFacts();
  const failed = answer.statusCode >= 400;
  const streams = !failed && /^text\/event-stream/i.test(String(answer.headers["content-type"] ?? ""));
  const rewrites = streams && input.request.hidesUsageChunk;
  const reader = streams
    ? createStreamReader({ protocol, facts, hidesUsageChunk: rewrites })
    : createWholeReader(protocol, facts);
  try {
    const { aborted, sentBytes } = await forwardAnswer({
      answer,
      sink,
      reader,
      facts,
      safety: input.safety,
      cancel: () => call.abort(),
      rewrites,
    });
    setAttributes(span, { "centspan.stream.aborted": aborted });
    return sentBytes;
  } finally {
    setAttributes(span, describeCall(facts, reader, sentMs));
    if (failed || facts.failed) {
      setAttributes(span, { "error.type": failed ? String(answer.statusCode) : "upstream_failed" });
      span.setStatus({ code: SpanStatusCode.ERROR });
    } else if (!facts.usage) setAttributes(span, { "centspan.usage.missing": true });
  }
}

function describeCall(facts: CallFacts, reader: AnswerReader, sentMs: number): SpanAttributes {
  const { usage } = facts;
  const times = reader.outputTimes();
  const shownTokens = usage ? usage.output - (usage.reasoning ?? 0) : 0;
  return {
    "gen_ai.response.id": facts.responseId,
    "gen_ai.response.model": facts.model,
    "gen_ai.response.finish_reasons": facts.finishReasons.length > 0 ? facts.finishReasons : undefined,
    "gen_ai.response.time_to_first_chunk": times ? (times.firstMs - sentMs) / 1000 : undefined,
    "centspan.time_per_output_token":
      times && shownTokens > 1 ? (times.lastMs - times.firstMs) / 1000 / (shownTokens - 1) : undefined,
    "openai.response.service_tier": facts.serviceTier,
    "gen_ai.usage.input_tokens": usage?.input,
    "gen_ai.usage.output_tokens": usage?.output,
    "gen_ai.usage.cache_read.input_tokens": usage?.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": usage?.cacheWrite,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoning,
  };
}
