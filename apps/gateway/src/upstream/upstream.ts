/**
 * The address that answers: a connection pool, which headers go there, and what its failures are called.
 * Must not: send the client's key or internal names to somebody else's server.
 */
import type { IncomingHttpHeaders } from "node:http";
import { pipeline, Readable } from "node:stream";
import { CentspanError } from "@centspan/base";
import type { Provenance } from "@centspan/model";
import { errors, Pool } from "undici";
import { createHider, hideSecrets } from "../egress/hide-secrets.ts";
import { receiveAnswer, type Sending, type UpstreamAnswer } from "./receive-answer.ts";

/** What is particular about a provider. Everything that is not listed is an OpenAI-compatible server that measures. */
type ProviderTraits = {
  takesTokenIds: boolean;
  /** Answers how many tokens a prompt of Messages has. */
  countsTokens: boolean;
  seesIdentity: boolean;
  /** Its prompt cache forgets what is not asked for in time, and not only what it has no room for. */
  cacheExpires: boolean;
  provenance: Provenance;
  /** How long an idle connection is kept where the provider says nothing of it; less than it keeps one itself. */
  keepAliveMs: number;
  /** How it wants to see its key. */
  writeKey(key: string): Record<string, string>;
};
const OTHER_PROVIDER: ProviderTraits = {
  takesTokenIds: false,
  countsTokens: false,
  seesIdentity: false,
  cacheExpires: false,
  provenance: "measured",
  // Servers of Python close after five seconds.
  keepAliveMs: 4_000,
  writeKey: (key) => ({ authorization: `Bearer ${key}` }),
};
/** An agent's tools take longer than four seconds: its next call needs no handshake all the same. */
const FAR_AWAY = { keepAliveMs: 60_000, cacheExpires: true };
const PROVIDERS: Partial<Record<string, ProviderTraits>> = {
  // Our own engine: its clock is a model, and it trusts the gateway's token ids.
  centspan: { ...OTHER_PROVIDER, takesTokenIds: true, seesIdentity: true, provenance: "simulated" },
  openai: { ...OTHER_PROVIDER, ...FAR_AWAY },
  anthropic: { ...OTHER_PROVIDER, ...FAR_AWAY, countsTokens: true, writeKey: (key) => ({ "x-api-key": key }) },
};

export type UpstreamOptions = { url: string; key: string | undefined; provider: string; takesPriority: boolean };

export type UpstreamCall = {
  method: "GET" | "POST";
  /** Path below the upstream's base, such as /v1/responses. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
};

export type Upstream = ProviderTraits & {
  origin: string;
  provider: string;
  /** Requests may say in a member `priority` whom to let go first; the lower the earlier. */
  takesPriority: boolean;
  /** Sends a request; the answer rejects with upstream_failed or upstream_timeout when none begins. */
  send(call: UpstreamCall): Sending;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** Reasoning models stay silent for minutes before the first byte, and between bytes. */
const SILENCE_TIMEOUT_MS = 600_000;

export function createUpstream({ url, key, provider, takesPriority }: UpstreamOptions): Upstream {
  const base = new URL(url);
  // Addresses are given both with and without the version that every route here starts with.
  const prefix = base.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  const traits = PROVIDERS[provider] ?? OTHER_PROVIDER;
  const pool = new Pool(base.origin, {
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: traits.keepAliveMs,
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });
  const credential = key === undefined ? {} : traits.writeKey(key);
  const hideKey = createKeyHider(key);
  return {
    ...traits,
    origin: base.origin,
    provider,
    takesPriority,
    send({ method, path, headers, body }) {
      const request = {
        method,
        path: prefix + path,
        headers: Object.assign({}, PLAIN, headers, credential, body && { "content-length": String(body.length) }),
        body: body && body.length > MOST_KEPT_BYTES ? streamOnce(body) : body,
      };
      const sending = receiveAnswer((handler) => pool.dispatch(request, handler));
      return {
        ...sending,
        answer: sending.answer.then(hideKey, (thrown: unknown) => {
          throw translateUpstreamError(thrown);
        }),
      };
    },
    close: () => pool.close(),
  };
}

const MOST_KEPT_BYTES = 16 * 1024;

/** A pool keeps what it sends until the answer has ended: of this it keeps an empty stream. */
function streamOnce(bytes: Buffer): Readable {
  let rest: Buffer | null = bytes;
  return new Readable({
    read() {
      this.push(rest);
      if (rest !== null) this.push(null);
      rest = null;
    },
  });
}

/** Answers are read on their way: one that is compressed could not be. */
const PLAIN = { "accept-encoding": "identity" };

/** Some servers repeat the key that they refuse. */
function createKeyHider(key: string | undefined): (answer: UpstreamAnswer) => UpstreamAnswer {
  if (key === undefined || key === "") return (answer) => answer;
  const placed = new Map([[key, "[key]"]]);
  return (answer) => {
    if (answer.statusCode < 400) return answer;
    const headers: IncomingHttpHeaders = JSON.parse(hideSecrets(JSON.stringify(answer.headers), placed));
    delete headers["content-length"];
    return {
      statusCode: answer.statusCode,
      headers,
      body: pipeline(answer.body, createHider(placed), () => undefined),
    };
  };
}

/** Undici's failures as ours; an abort of our own stays what it is. */
export function translateUpstreamError(thrown: unknown): unknown {
  if (thrown instanceof CentspanError || isAbort(thrown)) return thrown;
  const isTimeout =
    thrown instanceof errors.ConnectTimeoutError ||
    thrown instanceof errors.HeadersTimeoutError ||
    thrown instanceof errors.BodyTimeoutError;
  const code = thrown instanceof Error && "code" in thrown ? ` (${String(thrown.code)})` : "";
  return isTimeout
    ? new CentspanError("upstream_timeout", `the model server did not answer in time${code}`, { cause: thrown })
    : new CentspanError("upstream_failed", `the model server can't be reached or broke off${code}`, { cause: thrown });
}

export const isAbort = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === "AbortError";

/** Of the client's connection, its place in the network or its browser; and what is written here. */
const KEPT_BACK =
  /^(connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|http2-settings|expect|host|content-(length|encoding)|accept-encoding|cookie|via|forwarded|x-forwarded-.+|x-real-ip|.*(client|connecting)-ip|origin|referer|sec-.+|traceparent|tracestate|baggage)$/;
/** Whatever a header's name calls a credential is one. */
const CREDENTIAL = /api-?key|token|secret|auth|credential|password/;
const IDENTITY = /^x-centspan-/;

/** The client's headers that go upstream: all but credentials, hops and addresses. */
export function selectRequestHeaders(headers: IncomingHttpHeaders, upstream: Upstream): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || KEPT_BACK.test(name) || CREDENTIAL.test(name)) continue;
    if (IDENTITY.test(name) && !upstream.seesIdentity) continue;
    selected[name] = value;
  }
  return selected;
}

const HOP_BY_HOP = /^(connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade)$/;

/** The upstream's headers that reach the client: all but those of its own connection. */
export function selectResponseHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const selected: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.test(name)) selected[name] = value;
  }
  return selected;
}
