/**
 * A call's span is sent when it ends, and is lost with the process. So a call that takes long is noted in a small span of its own,
 * below it: should the gateway be killed, this is what is recorded, flagged as of unknown usage. When the call's own span comes,
 * the note counts for nothing.
 */
import { contextOf, endSpan, type SpanAttributes, startSpan } from "@centspan/telemetry";
import type { Span } from "@opentelemetry/api";
import type { Exchange } from "../exchange.ts";

const NOTED_AFTER_MS = 1_000;

/** Returns how to say that the call has ended. */
export function noteBegun({ tracer, serverContext }: Exchange, call: Span, attributes: SpanAttributes): () => void {
  const timer = setTimeout(() => {
    const note = startSpan(tracer, "chat.begun", {
      parent: contextOf(call, serverContext),
      attributes: { "centspan.usage.missing": true, "centspan.call.pending": true, ...attributes },
    });
    endSpan(note);
  }, NOTED_AFTER_MS);
  return () => clearTimeout(timer);
}
