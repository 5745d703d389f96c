/**
 * OpenTelemetry for one service: an OTLP/HTTP protobuf exporter to the collector, W3C trace context, no sampling.
 * Invariant: nothing is dropped for size: queue and link limits are far above what a run needs, and what the
 * exporter can't deliver is counted and reported, never silent.
 */

import { asCentspanError, createWallClock } from "@centspan/base";
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
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  InMemorySpanExporter,
  NodeTracerProvider,
  RandomIdGenerator,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-node";
import { SPANS, type SpanAttributes, type SpanTemplate } from "./vocabulary.ts";

type TelemetryOptions = {
  service: string;
  version: string;
  /** Base address of the collector, such as http://127.0.0.1:4318. */
  otlpUrl: string;
  /** Empty where the collector takes spans without a credential (loopback, one user). */
  ingestKey: string;
  resource?: Record<string, string>;
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
  const exporter =
    options.exporter ??
    new OTLPTraceExporter({
      url: `${options.otlpUrl}/v1/traces`,
      headers: options.ingestKey === "" ? {} : { authorization: `Bearer ${options.ingestKey}` },
    });
  const processor = new BatchSpanProcessor(reportFailures(exporter), {
    maxQueueSize: 500_000,
    maxExportBatchSize: 2_000,
    scheduledDelayMillis: 500,
    exportTimeoutMillis: 30_000,
  });
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
  // Without baggage, which would carry what a caller says of itself on to somebody else's server.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return {
    tracer: provider.getTracer("centspan", options.version),
    flush: () => processor.forceFlush(),
    stop: () => provider.shutdown(),
  };
}

/** Says on stderr how many spans could not be delivered, after the exporter's own retries. */
function reportFailures(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) {
          const reason = result.error?.message ?? "no reason given";
          process.stderr.write(`telemetry: ${spans.length} spans were not delivered: ${reason}\n`);
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
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

const clock = createWallClock();

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
  const name = template.replace(/\{.*\}/, () => options.subject ?? "");
  const spanOptions = {
    kind: KINDS[definition.kind],
    attributes: { "centspan.layer": definition.layer, ...options.attributes },
    // Given explicitly: the SDK's own clock starts spans at whole milliseconds.
    startTime: toHrTime(options.startNs ?? clock.nowNs()),
    links: (options.links ?? []).map((span) => ({ context: span.spanContext() })),
  };
  if (options.traceId === undefined) return tracer.startSpan(name, spanOptions, options.parent ?? context.active());
  chosenTraceId = options.traceId;
  try {
    return tracer.startSpan(name, spanOptions, ROOT_CONTEXT);
  } finally {
    chosenTraceId = undefined;
  }
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
  span.end(toHrTime(endNs ?? clock.nowNs()));
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
