/**
 * Stage `chat {model}`: the billable call. Its span carries what the upstream reported about it, and only that:
 * usage that was not reported is absent and flagged, never zero.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { asCentspanError, CentspanError, createId, formatDecimal } from "@centspan/base";
import { regionOf } from "@centspan/dialects";
import { reportFault } from "@centspan/service";
import { type SpanAttributes, setAttributes, withSpan } from "@centspan/telemetry";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { captureOutput, describeInput } from "../content/capture-content.ts";
import type { Exchange } from "../exchange.ts";
import type { Held, Said } from "../held.ts";
import { type CallFacts, createCallFacts, saidName } from "../protocols/protocol.ts";
import type { AnswerTranslator } from "../translations/translation.ts";
import { type AnswerReader, createStreamReader, createWholeReader } from "../upstream/answer-reader.ts";
import { forwardAnswer } from "../upstream/forward-answer.ts";
import type { Sending, UpstreamAnswer } from "../upstream/receive-answer.ts";
import type { Flight, FlightOutcome, Replica } from "../upstream/replica.ts";
import { isAbort } from "../upstream/upstream.ts";
import { watchClient } from "../upstream/watch-client.ts";
import type { SafetyWatch } from "./check-safety.ts";
import { noteBegun } from "./note-begun.ts";
import { type AskedUpstream, poseQuestion, type Question } from "./pose-question.ts";
import type { PromptTokens } from "./tokenize.ts";
import type { PrefixWatch } from "./watch-prefix.ts";

export type ChatInput = AskedUpstream & {
  tokens: PromptTokens;
  /** Begun when the replica was chosen. */
  flight: Flight;
  safety: SafetyWatch;
  prefix: PrefixWatch;
  /** What was changed in the request on its key's wish, and how fast the processor is that did all this. */
  changes: SpanAttributes;
  /** Told once, if an answer began. */
  onUsage(used: Used): void;
  /** How many attempts came before. */
  retry: number;
  /** Whether there is somebody else to ask: then a failure is not passed on. Once there is nobody, it stays so. */
  mayRetry(): boolean;
};

/** What is known of an answer that has ended, however it did. */
export type Used = {
  /** Prompt and answer, as it was reported, or else the prompt as it was counted here. */
  tokens: number;
  facts: CallFacts;
  /** Of the answer, as they came. */
  pieces: number;
  /** There is something to pay for: who was refused has none, who was answered in part has. */
  answered: boolean;
};

/**
 * Asks the upstream and forwards its answer; returns the bytes sent to the client, or null for a failure that it may not
 * be told of, since somebody else can be asked.
 */
export function chat(exchange: Exchange, input: ChatInput): Promise<number | null> {
  const { flight, request, said, safety } = input;
  const attributes = describeRequest(exchange, input);
  const options = { parent: exchange.serverContext, subject: request.model, attributes };
  return withSpan(exchange.tracer, `${exchange.protocol.operation} {model}`, options, async (span) => {
    let outcome: FlightOutcome = "failed";
    let sending: Sending | undefined;
    let stopWatching = (): void => undefined;
    let isOver = false;
    const facts = createCallFacts(request.answers);
    const ended = noteBegun(exchange, span, attributes);
    safety.inferenceStarted();
    try {
      if (capturesContent(exchange)) setAttributes(span, describePrompt(said));
      const question = poseQuestion(exchange, input, span);
      sending = question.sending;
      setAttributes(span, describeDropped(question));
      const describePrefix = describeOnce(span, input);
      // While the upstream is at work.
      void nextTurn().then(() => {
        if (isOver) return;
        describePrefix();
        if (!input.mayRetry()) said.letGo();
      });
      const { onDisconnect } = exchange.rules;
      stopWatching = watchClient(exchange.sink.gone, { facts, onDisconnect, cancel: sending.cancel });
      const answer = await sending.answer;
      describePrefix();
      // A refusal comes quickly, however slow the server is.
      if (answer.statusCode < 400) {
        flight.begun();
        input.prefix.keep(span.spanContext().spanId);
      }
      restAsTold(input.replica, answer);
      if (RETRIED.has(answer.statusCode) && input.mayRetry()) {
        failAttempt(span, String(answer.statusCode));
        sending.cancel();
        return null;
      }
      exchange.bodyIsSent();
      said.letGo();
      const sentBytes = await passOn(exchange, input, { span, answer, question, facts });
      outcome = answer.statusCode >= 500 ? "failed" : "answered";
      return sentBytes;
    } catch (thrown) {
      const code = thrown instanceof CentspanError ? thrown.code : "";
      if (code !== "upstream_failed" && code !== "upstream_timeout") outcome = "left";
      // It may have been answered, and paid for.
      if (sending?.isUnanswered()) setAttributes(span, { "centspan.usage.missing": true });
      if (exchange.sink.gone.happened && isAbort(thrown)) {
        setAttributes(span, { "centspan.stream.aborted": true });
        return 0;
      }
      if (outcome === "left" || !input.mayRetry()) throw thrown;
      failAttempt(span, code);
      return null;
    } finally {
      isOver = true;
      stopWatching();
      ended();
      flight.end(outcome);
      safety.inferenceEnded();
    }
  });
}

/** Embeddings have texts, and no messages. */
const capturesContent = ({ rules, protocol }: Exchange): boolean =>
  rules.content === true && protocol.operation === "chat";

const describePrompt = (said: Held<Said>): SpanAttributes => describeInput(said.get().conversation);

/** What stayed of an earlier prompt: before this one is kept, and before what it says is let go. */
function describeOnce(span: Span, { prefix, replica }: ChatInput): () => void {
  let isDescribed = false;
  return () => {
    if (isDescribed) return;
    isDescribed = true;
    try {
      setAttributes(span, prefix.describe(replica.upstream));
    } catch (thrown) {
      reportFault(asCentspanError(thrown));
    }
  };
}

/** What another server may well do better with. */
const RETRIED: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529]);

function failAttempt(span: Span, errorType: string): void {
  setAttributes(span, { "error.type": errorType });
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const LONGEST_REST_S = 60;

/** A server that says when to come again is not asked before. */
function restAsTold(replica: Replica, { statusCode, headers }: UpstreamAnswer): void {
  const seconds = Number(headers["retry-after"]);
  if ((statusCode === 429 || statusCode === 503) && seconds > 0) {
    replica.restFor(Math.min(seconds, LONGEST_REST_S) * 1000);
  }
}

const describeRequest = (
  { protocol, identity, rules }: Exchange,
  { request, replica: { upstream }, retry, changes }: ChatInput,
): SpanAttributes => ({
  "gen_ai.operation.name": protocol.operation,
  "gen_ai.provider.name": upstream.provider,
  "gen_ai.request.model": request.model,
  "gen_ai.request.reasoning.level": request.effort === "" ? undefined : request.effort,
  "centspan.response.region": regionOf(upstream.origin) || undefined,
  "centspan.provenance": upstream.provenance,
  "centspan.retry.ordinal": retry === 0 ? undefined : retry,
  "centspan.engine.priority": rules.priority,
  ...changes,
  ...identity,
});

type RunningCall = {
  span: Span;
  answer: UpstreamAnswer;
  question: Question;
  facts: CallFacts;
};

async function passOn(exchange: Exchange, input: ChatInput, running: RunningCall): Promise<number> {
  const { sink } = exchange;
  const { span, answer, question, facts } = running;
  const { translator, sending, sentMs } = question;
  const captured = capturesContent(exchange) ? captureOutput(question.protocol) : null;
  const protocol = captured?.protocol ?? question.protocol;
  const failed = answer.statusCode >= 400;
  const streams = !failed && /^text\/event-stream/i.test(String(answer.headers["content-type"] ?? ""));
  const hidesUsageChunk = streams && input.request.hidesUsageChunk;
  const rewrite = translator === null ? null : chooseRewrite(translator, answer);
  const reader = streams
    ? createStreamReader({ protocol, facts, hidesUsageChunk, translator })
    : createWholeReader({ protocol, facts, rewrite });
  const rewrites = hidesUsageChunk || rewrite !== null;
  setAttributes(span, { "centspan.request.id": nameCall(exchange, answer) ?? (failed ? undefined : translator?.id) });
  try {
    const { aborted, sentBytes } = await forwardAnswer({
      answer,
      sink,
      reader,
      facts,
      safety: input.safety,
      cancel: sending.cancel,
      rewrites,
    });
    setAttributes(span, { "centspan.stream.aborted": aborted });
    // A stream that ends before it says so was cut off, however cleanly.
    if (streams && !aborted && !facts.generated) facts.failed = true;
    if (!failed && !aborted && !facts.failed) exchange.onAnswered?.();
    return sentBytes;
  } finally {
    const answered = !failed && (!facts.failed || facts.responseId !== undefined);
    input.onUsage({ tokens: countUsed(facts, input, failed), facts, pieces: reader.countPieces(), answered });
    setAttributes(span, describeCall(facts, reader, sentMs));
    setAttributes(span, describeDropped(question));
    if (captured !== null) setAttributes(span, captured.describe(facts));
    if (failed || facts.failed) failAttempt(span, failed ? String(answer.statusCode) : "upstream_failed");
    if (answered && !facts.usage) setAttributes(span, { "centspan.usage.missing": true });
    if (answered && (!facts.usage || facts.usagePartial === true)) setAttributes(span, describeCounted(facts, input));
  }
}

/** What is counted here where nobody else does. */
function describeCounted({ said, usage }: CallFacts, { tokens }: ChatInput): SpanAttributes {
  const known = tokens.count(said.text);
  const all = said.text === "" ? 0 : Math.ceil((known * said.chars) / said.text.length);
  return {
    "centspan.usage.counted_input_tokens": usage === undefined ? tokens.total : undefined,
    "centspan.usage.counted_output_tokens": all,
  };
}

const describeDropped = ({ dropped }: Question): SpanAttributes => ({
  "centspan.translation.dropped": dropped.length === 0 ? undefined : [...dropped],
});

function chooseRewrite(translator: AnswerTranslator, { statusCode, headers }: UpstreamAnswer) {
  const { writeRefusal } = translator;
  if (statusCode < 400) return translator.whole;
  if (writeRefusal === undefined) return null;
  // Whatever said no, a proxy's page perhaps.
  headers["content-type"] = "application/json";
  return (json: unknown) => writeRefusal(json, statusCode);
}

/**
 * Two accounts of a call are one when both name it alike: where the upstream gives it no name, we do. An answer that was
 * translated has the name that the translation gave it.
 */
function nameCall({ protocol, headers }: Exchange, answer: UpstreamAnswer): string | undefined {
  const header = protocol.callIdHeader?.(headers) ?? null;
  if (header === null) return undefined;
  const given = answer.headers[header];
  const id = typeof given === "string" ? given : createId("req");
  answer.headers[header] = id;
  return id;
}

const countUsed = ({ usage }: CallFacts, { tokens }: ChatInput, failed: boolean): number => {
  if (usage) return usage.input + (usage.output ?? 0);
  return failed ? 0 : tokens.total;
};

function describeCall(facts: CallFacts, reader: AnswerReader, sentMs: number): SpanAttributes {
  const { usage } = facts;
  const times = reader.outputTimes();
  const shownTokens = (usage?.output ?? 0) - (usage?.reasoning ?? 0);
  return {
    "gen_ai.response.id": facts.responseId,
    "gen_ai.response.model": facts.model,
    "gen_ai.response.finish_reasons": facts.finishReasons.length > 0 ? facts.finishReasons : undefined,
    "gen_ai.response.time_to_first_chunk": times ? (times.firstMs - sentMs) / 1000 : undefined,
    "centspan.time_per_output_token":
      times && shownTokens > 1 ? (times.lastMs - times.firstMs) / 1000 / (shownTokens - 1) : undefined,
    "openai.response.service_tier": saidName.parse(facts.reported?.serviceTier) ?? undefined,
    "centspan.response.region": saidName.parse(facts.reported?.region) ?? undefined,
    "centspan.provided_cost_usd": facts.reported?.costUsd && formatDecimal(facts.reported.costUsd),
    "gen_ai.usage.input_tokens": usage?.input,
    "gen_ai.usage.output_tokens": usage?.output,
    "gen_ai.usage.cache_read.input_tokens": usage?.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": usage?.cacheWrite,
    "centspan.usage.cache_creation_1h.input_tokens": usage?.cacheWrite1h,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoning,
    "centspan.usage.audio.input_tokens": usage?.audioInput,
    "centspan.usage.audio.output_tokens": usage?.audioOutput,
    "gen_ai.usage.total_tokens": usage?.total,
    "centspan.usage.web_searches": usage?.webSearches,
    "centspan.usage.partial": facts.usagePartial === true ? true : undefined,
  };
}
