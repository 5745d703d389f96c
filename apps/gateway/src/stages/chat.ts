/**
 * Stage `chat {model}`: the billable call. Its span carries what the upstream reported about it, and only that:
 * usage that was not reported is absent and flagged, never zero.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { asCentspanError, CentspanError, createId, formatDecimal } from "@centspan/base";
import { reportFault } from "@centspan/service";
import { type SpanAttributes, setAttributes, withSpan, writeTraceContext } from "@centspan/telemetry";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { captureOutput, describeInput } from "../content/capture-content.ts";
import type { Exchange } from "../exchange.ts";
import { scopeName } from "../identity.ts";
import {
  type CallFacts,
  createCallFacts,
  type InferenceProtocol,
  type InferenceRequest,
} from "../protocols/protocol.ts";
import type { AnswerTranslator } from "../translations/translation.ts";
import { addMembers } from "../upstream/add-members.ts";
import { type AnswerReader, createStreamReader, createWholeReader } from "../upstream/answer-reader.ts";
import { forwardAnswer } from "../upstream/forward-answer.ts";
import { awaitAnswer, type Sending, type UpstreamAnswer } from "../upstream/receive-answer.ts";
import type { Flight, FlightOutcome, Replica } from "../upstream/replica.ts";
import { isAbort, selectRequestHeaders, type Upstream } from "../upstream/upstream.ts";
import type { Route } from "../upstream/upstreams.ts";
import type { SafetyWatch } from "./check-safety.ts";
import { noteBegun } from "./note-begun.ts";
import type { ParsedBody } from "./parse.ts";
import type { PromptTokens } from "./tokenize.ts";
import type { PrefixWatch } from "./watch-prefix.ts";

export type ChatInput = {
  replica: Route["replica"];
  /** Begun when the replica was chosen. */
  flight: Flight;
  translation: Route["translation"];
  request: InferenceRequest;
  body: ParsedBody;
  tokens: PromptTokens;
  safety: SafetyWatch;
  prefix: PrefixWatch;
  /** What was changed in the request on its key's wish. */
  changes: SpanAttributes;
  /** Told once, if an answer began. */
  onUsage(used: Used): void;
  /** How many attempts came before. */
  retry: number;
  /** There is somebody else to ask: a failure is not passed on. */
  mayRetry: boolean;
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
  const { replica, flight, request, safety } = input;
  const attributes = { ...exchange.identity, ...describeRequest(exchange.protocol, input) };
  const options = { parent: exchange.serverContext, subject: request.model, attributes };
  return withSpan(exchange.tracer, `${exchange.protocol.operation} {model}`, options, async (span) => {
    let outcome: FlightOutcome = "failed";
    let sending: Sending | undefined;
    const ended = noteBegun(exchange, span, attributes);
    safety.inferenceStarted();
    try {
      const question = ask(exchange, input);
      if (capturesContent(exchange)) setAttributes(span, describeInput(request.conversation));
      setAttributes(span, { "centspan.translation.dropped": question.dropped });
      const sentMs = performance.now();
      sending = send(exchange, input, question, span);
      // While the upstream is at work.
      void nextTurn()
        .then(() => setAttributes(span, input.prefix.describe(replica.upstream)))
        .catch((thrown: unknown) => reportFault(asCentspanError(thrown)));
      const answer = await awaitAnswer(sending, exchange.sink.gone);
      // A refusal comes quickly, however slow the server is.
      if (answer.statusCode < 400) {
        flight.begun();
        input.prefix.keep();
      }
      restAsTold(replica, answer);
      if (input.mayRetry && RETRIED.has(answer.statusCode)) {
        failAttempt(span, String(answer.statusCode));
        sending.cancel();
        return null;
      }
      const sentBytes = await passOn(exchange, input, { span, sending, answer, sentMs, question });
      outcome = answer.statusCode >= 500 ? "failed" : "answered";
      return sentBytes;
    } catch (thrown) {
      const code = thrown instanceof CentspanError ? thrown.code : "";
      if (code !== "upstream_failed" && code !== "upstream_timeout") outcome = "left";
      // It may have been answered, and paid for.
      if (sending?.isUnanswered()) setAttributes(span, { "centspan.usage.missing": true });
      if (exchange.sink.gone.aborted && isAbort(thrown)) {
        setAttributes(span, { "centspan.stream.aborted": true });
        return 0;
      }
      if (!input.mayRetry || outcome === "left" || exchange.sink.statusCode !== undefined) throw thrown;
      failAttempt(span, code);
      return null;
    } finally {
      ended();
      flight.end(outcome);
      safety.inferenceEnded();
    }
  });
}

/** Embeddings have texts, and no messages. */
const capturesContent = ({ rules, protocol }: Exchange): boolean =>
  rules.content === true && protocol.operation === "chat";

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
  { operation }: InferenceProtocol,
  { request, replica: { upstream }, retry, changes }: ChatInput,
): SpanAttributes => ({
  ...changes,
  "gen_ai.operation.name": operation,
  "gen_ai.provider.name": upstream.provider,
  "gen_ai.request.model": request.model,
  "gen_ai.request.reasoning.level": request.effort === "" ? undefined : request.effort,
  "centspan.provenance": upstream.provenance,
  "centspan.retry.ordinal": retry === 0 ? undefined : retry,
});

/** The request as the upstream is asked it, and how its answer is read and, where it is translated, said back. */
type Question = {
  protocol: InferenceProtocol;
  path: string;
  body: Buffer;
  dropped?: string[];
  translator: AnswerTranslator | null;
};

function ask({ protocol, query }: Exchange, { replica, request, body, tokens, translation }: ChatInput): Question {
  const ids =
    replica.upstream.takesTokenIds && protocol.operation === "chat" ? { prompt_token_ids: [...tokens.ids] } : {};
  if (translation === null) {
    const own = addMembers(body.bytes, body.json, { ...request.additions, ...ids });
    return { protocol, path: protocol.route + query, body: own, translator: null };
  }
  const { json, dropped, answer } = translation.translate({ ...Object(body.json), ...request.additions });
  const question = {
    protocol: translation.to,
    path: translation.to.route,
    body: Buffer.from(JSON.stringify({ ...json, ...ids })),
    translator: answer,
  };
  return dropped.length === 0 ? question : { ...question, dropped };
}

function send(exchange: Exchange, { replica: { upstream } }: ChatInput, { path, body }: Question, span: Span): Sending {
  const headers = {
    ...selectRequestHeaders(exchange.headers, upstream),
    ...writeKnowledge(exchange, upstream),
    ...writeTraceContext(span),
  };
  return upstream.send({ method: "POST", path, headers, body });
}

/** For an upstream that knows agents: whom to let go first, and whose conversation it is, however the client said it. */
function writeKnowledge(exchange: Exchange, { seesIdentity }: Upstream): Record<string, string> {
  if (!seesIdentity) return {};
  const { rules, identity, headers, workspace } = exchange;
  const names = {
    "x-centspan-run": headers["x-centspan-run"],
    "x-centspan-thread": headers["x-centspan-thread"],
    "x-centspan-session": identity["gen_ai.conversation.id"],
  };
  const scoped = Object.entries(names).flatMap(([header, name]) =>
    typeof name === "string" && name !== "" ? [[header, scopeName(workspace, name)]] : [],
  );
  return {
    ...(rules.priority !== undefined && { "x-centspan-priority": rules.priority }),
    ...Object.fromEntries(scoped),
  };
}

type RunningCall = {
  span: Span;
  sending: Sending;
  answer: UpstreamAnswer;
  sentMs: number;
  question: Question;
};

async function passOn(exchange: Exchange, input: ChatInput, running: RunningCall): Promise<number> {
  const { sink } = exchange;
  const { span, sending, answer, sentMs, question } = running;
  const { translator } = question;
  const captured = capturesContent(exchange) ? captureOutput(question.protocol) : null;
  const protocol = captured?.protocol ?? question.protocol;
  const facts = createCallFacts();
  const failed = answer.statusCode >= 400;
  const streams = !failed && /^text\/event-stream/i.test(String(answer.headers["content-type"] ?? ""));
  const hidesUsageChunk = streams && input.request.hidesUsageChunk;
  const translates = translator !== null && !failed ? translator : null;
  const reader = streams
    ? createStreamReader({ protocol, facts, hidesUsageChunk, translator: translates })
    : createWholeReader({ protocol, facts, translator: translates });
  const rewrites = hidesUsageChunk || translates !== null;
  setAttributes(span, { "centspan.request.id": translates?.id ?? nameCall(exchange, answer) });
  try {
    const { aborted, sentBytes } = await forwardAnswer({
      answer,
      sink,
      reader,
      facts,
      safety: input.safety,
      onDisconnect: exchange.rules.onDisconnect ?? "cancel",
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
    setAttributes(span, { ...describeCall(facts, reader, sentMs), ...captured?.describe(facts) });
    if (failed || facts.failed) failAttempt(span, failed ? String(answer.statusCode) : "upstream_failed");
    if (answered && !facts.usage) setAttributes(span, { "centspan.usage.missing": true });
  }
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
  return failed ? 0 : tokens.ids.length;
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
    "openai.response.service_tier": facts.reported?.serviceTier,
    "centspan.response.region": facts.reported?.region,
    "centspan.provided_cost_usd": facts.reported?.costUsd && formatDecimal(facts.reported.costUsd),
    "gen_ai.usage.input_tokens": usage?.input,
    "gen_ai.usage.output_tokens": usage?.output,
    "gen_ai.usage.cache_read.input_tokens": usage?.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": usage?.cacheWrite,
    "centspan.usage.cache_creation_1h.input_tokens": usage?.cacheWrite1h,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoning,
    "gen_ai.usage.total_tokens": usage?.total,
    "centspan.usage.web_searches": usage?.webSearches,
    "centspan.usage.partial": facts.usagePartial === true ? true : undefined,
  };
}
