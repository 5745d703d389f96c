/** Our encoding against the SDK's own serializer, byte for byte. */
import { type Attributes, createTraceState, ROOT_CONTEXT, type SpanContext, trace } from "@opentelemetry/api";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, NodeTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-node";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createEnvelope, encodeSpan } from "./encode-span.ts";
import { createProtobufWriter } from "./protobuf-writer.ts";

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ minLength: 100, maxLength: 20_000 }),
);
const numbers = [0, 127, 128, 16_384, -1, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 0.5, 1e300, Number.NaN];
const number = fc.oneof(fc.constantFrom(...numbers), fc.integer(), fc.double());
const value = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.array(text, { maxLength: 5 }),
  fc.array(number, { maxLength: 5 }),
);
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(fc.string({ minLength: 1, maxLength: 50 }), value);
const id = (digits: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: digits - 1, maxLength: digits - 1 })
    .map((hex) => `1${hex}`);
const context: fc.Arbitrary<SpanContext> = fc
  .tuple(id(32), id(16), fc.constantFrom(0, 1), fc.boolean(), fc.boolean())
  .map(([traceId, spanId, traceFlags, isRemote, hasState]) => ({
    ...{ traceId, spanId, traceFlags, isRemote },
    ...(hasState && { traceState: createTraceState("a=1,b=2") }),
  }));
const instant = fc.tuple(fc.integer({ min: 0, max: 18_000_000_000 }), fc.integer({ min: 0, max: 999_999_999 }));

let ended: ReadableSpan | undefined;
const tracer = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "test", "service.version": "0".repeat(200) }),
  sampler: new AlwaysOnSampler(),
  spanProcessors: [
    {
      onStart: () => undefined,
      onEnd: (span) => {
        ended = span;
      },
      forceFlush: async () => undefined,
      shutdown: async () => undefined,
    },
  ],
}).getTracer("centspan", "0");

const span = fc
  .record({
    name: text,
    kind: fc.integer({ min: 0, max: 4 }),
    parent: fc.option(context),
    attributes,
    events: fc.array(fc.record({ name: text, attributes, at: instant }), { maxLength: 3 }),
    links: fc.array(fc.record({ context, attributes }), { maxLength: 3 }),
    error: fc.option(text),
    start: instant,
    seconds: fc.integer({ min: 0, max: 100_000 }),
  })
  .map(({ name, kind, parent, attributes, events, links, error, start, seconds }): ReadableSpan => {
    const around = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const started = tracer.startSpan(name, { kind, attributes, links, startTime: start }, around);
    for (const event of events) started.addEvent(event.name, event.attributes, event.at);
    if (error !== null) started.setStatus({ code: 2, message: error });
    started.end([start[0] + seconds, start[1]]);
    if (ended === undefined) throw new Error("the span did not end");
    return ended;
  });

it("is what the SDK writes", () => {
  const several = fc.array(span, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(several, (spans) => {
      const writer = createProtobufWriter();
      for (const each of spans) encodeSpan(writer, each);
      const [first] = spans;
      const head = first && createEnvelope(first)(writer.length);
      expect(`${head?.toString("hex")}${writer.take().toString("hex")}`).toBe(
        Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) ?? []).toString("hex"),
      );
    }),
  );
});
