/**
 * One tunnel or request of a tool on its way out: who asks, whether the key's rules allow the host, and the span that says
 * so in either case.
 * Must not: read the credentials that are meant for the host as ours; write a header's value onto the span.
 */
import type { IncomingHttpHeaders } from "node:http";
import { asCentspanError, CentspanError } from "@centspan/base";
import { allowsHost, type EgressRules, type EgressTarget, type Principal } from "@centspan/model";
import { type CredentialCache, reportFault } from "@centspan/service";
import {
  endSpan,
  failSpan,
  readTraceContext,
  type SpanAttributes,
  setAttributes,
  startSpan,
} from "@centspan/telemetry";
import { type Tracer, trace } from "@opentelemetry/api";
import { deriveTraceId, describeKey, readIdentity } from "../identity.ts";
import { authenticate } from "../stages/admit.ts";
import { retryAfter } from "../transports/http-sink.ts";

export type PassageOptions = {
  tracer: Tracer;
  credentials: CredentialCache<Principal>;
  /** Takes one of the connections that a key may have, or throws; the result gives it back. */
  takeConnection(keyId: string): () => void;
};

export type PassageRequest = {
  method: string;
  headers: IncomingHttpHeaders;
  /** Null where the request names none that can be read. */
  target: EgressTarget | null;
  /** Tells the client; nothing was sent to the host, or not all that it asked for. */
  fail(error: CentspanError): void;
};

export type Passage = { target: EgressTarget; rules: EgressRules; note(attributes: SpanAttributes): void };

/** Resolves when `work` is over, or was refused. */
export async function openPassage(
  { method, headers, target, fail }: PassageRequest,
  options: PassageOptions,
  work: (passage: Passage) => Promise<void>,
): Promise<void> {
  const own = readOwnHeaders(headers);
  const parent = readTraceContext(own);
  const traceId = trace.getSpanContext(parent) === undefined ? deriveTraceId(own) : undefined;
  const span = startSpan(options.tracer, "egress {host}", {
    parent,
    ...(traceId !== undefined && { traceId }),
    subject: target?.host ?? "unknown",
    attributes: {
      "http.request.method": method,
      "server.address": target?.host,
      "server.port": target?.port,
    },
  });
  const note = (attributes: SpanAttributes): void => setAttributes(span, attributes);
  let giveBack = (): void => undefined;
  try {
    note(readIdentity(own));
    const principal = await authenticate(own, options.credentials, FIELD);
    note(describeKey(principal));
    if (target === null) throw new CentspanError("invalid_request", "host: is no host and port", { field: "host" });
    const rules = checkRules(principal, target);
    giveBack = options.takeConnection(principal.keyId);
    await work({ target, rules, note });
    note({ "centspan.verdict": "ok" });
  } catch (thrown) {
    const error = asCentspanError(thrown);
    note({ "centspan.verdict": error.code, "centspan.verdict.field": error.field });
    failSpan(span, error);
    reportFault(error);
    fail(error);
  } finally {
    giveBack();
    endSpan(span);
  }
}

const FIELD = "proxy-authorization";

/** What the request says to us: a key in `authorization` or `x-api-key` is the host's business. */
const readOwnHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders => ({
  ...headers,
  authorization: headers[FIELD],
  "x-api-key": undefined,
});

function checkRules({ rules: { egress } }: Principal, target: EgressTarget): EgressRules {
  if (egress !== undefined && allowsHost(egress.hosts, target)) return egress;
  const message = `host: this key may not reach ${target.host} on port ${target.port}`;
  throw new CentspanError("egress_refused", message, { field: "host" });
}

/** How a proxy's client is told of an error. */
export const describeRefusal = (error: CentspanError): { status: number; headers: Record<string, string> } => {
  const isUnknown = error.code === "unauthenticated";
  return {
    status: isUnknown ? 407 : error.status,
    headers: {
      "content-type": "application/problem+json",
      ...(isUnknown && { "proxy-authenticate": 'Basic realm="centspan", charset="UTF-8"' }),
      ...retryAfter(error),
    },
  };
};
