/**
 * One request on its way through the pipeline, and the span that every stage runs in.
 * Stages pass results to each other as values; what lives here is what all of them share.
 */
import type { IncomingHttpHeaders } from "node:http";
import { asCentspanError } from "@centspan/base";
import type { KeyRules } from "@centspan/model";
import {
  endSpan,
  failSpan,
  type SpanAttributes,
  type SpanTemplate,
  setAttributes,
  startSpan,
} from "@centspan/telemetry";
import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { InferenceProtocol } from "./protocols/protocol.ts";
import type { AnswerSink } from "./transports/answer-sink.ts";

export type Exchange = {
  protocol: InferenceProtocol;
  /** What the client put behind the route, with its question mark; "" for nothing. */
  query: string;
  /** Of the request; of a message on a connection: what it and the connection say together. */
  headers: IncomingHttpHeaders;
  /** Throws where it is no JSON body within the limits. */
  readBody(): Promise<Buffer>;
  /** Makes room for others' bodies. */
  bodyIsSent(): void;
  sink: AnswerSink;
  tracer: Tracer;
  /** The request's own span, and the context in which stages are its children. */
  serverSpan: Span;
  serverContext: Context;
  /** Its key's, and what the key may do; nothing is said before the key is known. */
  workspace: string;
  rules: KeyRules;
  /** Whose work this is; grows once the key is known. */
  identity: SpanAttributes;
  /** Told when the answer is whole and no failure. */
  onAnswered?(): void;
};

export type StageTemplate = Extract<SpanTemplate, `api.${string}`>;

/** Runs one stage in its span, with the verdict it came to. */
export async function runStage<T>(
  exchange: Exchange,
  template: StageTemplate,
  work: (span: Span) => Promise<T> | T,
): Promise<T> {
  const options = { parent: exchange.serverContext, attributes: exchange.identity };
  const span = startSpan(exchange.tracer, template, options);
  try {
    const result = await work(span);
    setAttributes(span, { "centspan.verdict": "ok" });
    return result;
  } catch (thrown) {
    const error = asCentspanError(thrown);
    setAttributes(span, { "centspan.verdict": error.code, "centspan.verdict.field": error.field });
    failSpan(span, thrown);
    throw thrown;
  } finally {
    endSpan(span);
  }
}

/** Adds to the identity, on the server span too. */
export function identify(exchange: Exchange, attributes: SpanAttributes): void {
  exchange.identity = Object.assign({}, exchange.identity, attributes);
  setAttributes(exchange.serverSpan, attributes);
}
