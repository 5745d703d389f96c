/** One request from its arrival to its answer, whatever carries both: its span, its identity, and what a failure becomes. */
import type { IncomingHttpHeaders } from "node:http";
import { asCentspanError } from "@centspan/base";
import { reportFault } from "@centspan/service";
import { contextOf, endSpan, failSpan, readTraceContext, setAttributes, startSpan } from "@centspan/telemetry";
import { type Tracer, trace } from "@opentelemetry/api";
import type { Exchange } from "./exchange.ts";
import { deriveTraceId, readCountHeader, readIdentity } from "./identity.ts";
import type { InferenceProtocol } from "./protocols/protocol.ts";
import type { AnswerSink } from "./transports/answer-sink.ts";
import { isAbort } from "./upstream/upstream.ts";

export type Arrival = {
  template: "POST {route}" | "WS {route}";
  protocol: InferenceProtocol;
  query: string;
  headers: IncomingHttpHeaders;
  readBody(): Promise<Buffer>;
  /** An answer has begun: nobody asks for the same elsewhere. */
  bodyIsSent(): void;
  sink: AnswerSink;
  isConnectionReused: boolean;
};

/** `work` returns the bytes that it sent. Resolves when the answer is complete, or has failed. */
export async function runExchange(
  arrival: Arrival,
  tracer: Tracer,
  work: (exchange: Exchange) => Promise<number>,
): Promise<void> {
  const { template, protocol, query, headers, readBody, bodyIsSent, sink } = arrival;
  const parent = readTraceContext(headers);
  const traceId = trace.getSpanContext(parent) === undefined ? deriveTraceId(headers) : undefined;
  const serverSpan = startSpan(tracer, template, {
    parent,
    subject: protocol.route,
    attributes: {
      "http.request.method": template === "POST {route}" ? "POST" : "GET",
      "http.route": protocol.route,
      "centspan.connection.reused": arrival.isConnectionReused,
    },
    ...(traceId !== undefined && { traceId }),
  });
  const exchange: Exchange = {
    protocol,
    query,
    headers,
    readBody,
    bodyIsSent,
    sink,
    tracer,
    serverSpan,
    serverContext: contextOf(serverSpan, parent),
    workspace: "",
    rules: {},
    identity: {},
  };
  try {
    exchange.identity = readIdentity(headers);
    setAttributes(serverSpan, exchange.identity);
    setAttributes(serverSpan, {
      "centspan.attempt": readCountHeader(headers, "x-centspan-attempt"),
      "centspan.retry.ordinal": readCountHeader(headers, "x-centspan-retry"),
    });
    setAttributes(serverSpan, { "http.response.body.size": await work(exchange) });
  } catch (thrown) {
    // Who left is told nothing, and there is no fault in that.
    if (sink.gone.happened && isAbort(thrown)) return;
    const error = asCentspanError(thrown);
    failSpan(serverSpan, thrown);
    reportFault(error);
    sink.fail(error);
  } finally {
    setAttributes(serverSpan, { "http.response.status_code": sink.statusCode() });
    endSpan(serverSpan);
  }
}
