/**
 * OpenTelemetry for one service: spans to the collector over OTLP/HTTP protobuf, W3C trace context, no sampling.
 * Invariant: nothing is dropped for size: link limits are far above what a run needs, and what can't be delivered is counted
 * and reported, never silent.
 */

import { asCentspanError } from "@centspan/base";
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  type IdGenerator,
  InMemorySpanExporter,
  NodeTracerProvider,
  RandomIdGenerator,
  SimpleSpanProcessor,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-node";
import { createSpanSender } from "./send-spans.ts";
import { SPANS, type SpanAttributes, type SpanTemplate } from "./vocabulary.ts";

type TelemetryOptions = {
  service: string;
  version: string;
  /** Base address of the collector, such as http://127.0.0.1:4318. */
  otlpUrl: string;
  /** Empty where the collector takes spans without a credential (loopback, one user). */
  ingestKey: string;
  resource?: Record<string, string>;
  /** Every span is told its parent: nothing is kept of who called whom, which would cost every promise of the process. */
  parentsAreGiven?: boolean;
  /** Where spans go instead of the collector. */
  exporter?: SpanExporter;
};

export type { SpanExporter };

/** Keeps finished spans in the process, for whoever wants to look at them there. */
export const createMemoryExporter = (): InMemorySpanExporter => new InMemorySpanExporter();

export type Telemetry = {
  tracer: Tracer;
  /** Sends what is waiting; resolves once the collector has acknowledged it. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

export function startTelemetry(options: TelemetryOptions): Telemetry {
  const processor =
    options.exporter === undefined ? createSpanSender(options) : new SimpleSpanProcessor(options.exporter);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      "service.name": options.service,
      "service.version": options.version,
      ...options.resource,
    }),
    spanProcessors: [processor],
    spanLimits: { linkCountLimit: 100_000, attributeCountLimit: 1_000, eventCountLimit: 10_000 },
    sampler: new AlwaysOnSampler(),
    idGenerator: ID_GENERATOR,
  });
  provider.register({
    // Without baggage, which would carry what a caller says of itself on to somebody else's server.
    propagator: new W3CTraceContextPropagator(),
    ...(options.parentsAreGiven === true && { contextManager: null }),
  });
  return {
    tracer: provider.getTracer("centspan", options.version),
    flush: () => processor.forceFlush(),
    stop: () => provider.shutdown(),
  };
}

const randomIds = new RandomIdGenerator();
let chosenTraceId: string | undefined;
/** Random ids, except that a span without a parent can be put into a trace of the caller's choice. */
const ID_GENERATOR: IdGenerator = {
  generateTraceId: () => chosenTraceId ?? randomIds.generateTraceId(),
  generateSpanId: () => randomIds.generateSpanId(),
};

export const createTraceId = (): string => randomIds.generateTraceId();

const { timeOrigin } = performance;
const origin = { seconds: Math.floor(timeOrigin / 1000), ms: timeOrigin % 1000 };

/** Seconds and nanoseconds, by the runtime's own origin and as precisely as its clock goes on from there. */
function readClock(): [number, number] {
  const ms = origin.ms + performance.now();
  const seconds = Math.floor(ms / 1000);
  return [origin.seconds + seconds, Math.floor((ms - seconds * 1000) * 1e6)];
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

export type SpanOptions = {
  parent?: Context;
  /** Makes the span one without a parent in this trace, beside others of it. */
  traceId?: string;
  /** Start of the span, nanoseconds since the epoch; now when absent. */
  startNs?: bigint;
  attributes?: SpanAttributes;
  /** Values for the `{…}` part of the name. */
  subject?: string;
  links?: Span[];
};

/** Starts a span of the vocabulary; its layer is set from there. */
export function startSpan(tracer: Tracer, template: SpanTemplate, options: SpanOptions = {}): Span {
  const definition = SPANS[template];
  const name = template.includes("{") ? template.replace(/\{.*\}/, () => options.subject ?? "") : template;
  const spanOptions = {
    kind: KINDS[definition.kind],
    // Given explicitly: the SDK's own clock starts spans at whole milliseconds.
    startTime: options.startNs === undefined ? readClock() : toHrTime(options.startNs),
    ...(options.links !== undefined && { links: options.links.map((span) => ({ context: span.spanContext() })) }),
  };
  chosenTraceId = options.traceId;
  const parent = options.traceId === undefined ? (options.parent ?? context.active()) : ROOT_CONTEXT;
  const span = tracer.startSpan(name, spanOptions, parent);
  chosenTraceId = undefined;
  // Given to `startSpan` they would be copied and checked twice more.
  span.setAttribute("centspan.layer", definition.layer);
  if (options.attributes !== undefined) span.setAttributes(options.attributes);
  return span;
}

/** Links a span to another after its start. */
export function linkSpan(from: Span, to: Span): void {
  from.addLink({ context: to.spanContext() });
}

/** Sets attributes of the vocabulary; undefined values are left out. */
export function setAttributes(span: Span, attributes: SpanAttributes): void {
  span.setAttributes(attributes);
}

/** Ends a span, now or at an instant of the engine's clock. */
export function endSpan(span: Span, endNs?: bigint): void {
  span.end(endNs === undefined ? readClock() : toHrTime(endNs));
}

/** Marks a span as failed with the error's stable code. */
export function failSpan(span: Span, thrown: unknown): void {
  const error = asCentspanError(thrown);
  setAttributes(span, { "error.type": error.code });
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}

/** Runs `work` inside a new active span; ends it in any case and marks it failed when `work` throws. */
export async function withSpan<T>(
  tracer: Tracer,
  template: SpanTemplate,
  options: SpanOptions,
  work: (span: Span) => Promise<T> | T,
): Promise<T> {
  const span = startSpan(tracer, template, options);
  try {
    return await context.with(trace.setSpan(options.parent ?? context.active(), span), () => work(span));
  } catch (thrown) {
    failSpan(span, thrown);
    throw thrown;
  } finally {
    endSpan(span);
  }
}

/** The context that a request's `traceparent` header names; the active one where there is none. */
export function readTraceContext(headers: Record<string, string | string[] | undefined>): Context {
  return propagation.extract(context.active(), headers);
}

/** `traceparent` (and `tracestate`) of a span, for an outgoing request. */
export function writeTraceContext(span: Span): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpan(context.active(), span), headers);
  return headers;
}

export const contextOf = (span: Span, parent: Context = context.active()): Context => trace.setSpan(parent, span);

const toHrTime = (ns: bigint): [number, number] => [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
