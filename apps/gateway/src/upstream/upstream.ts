/**
 * The address that answers: a connection pool, which headers go there, and what its failures are called.
 * Must not: send the client's key or internal names to somebody else's server.
 */
import type { IncomingHttpHeaders } from "node:http";
import { CentspanError } from "@centspan/base";
import type { Provenance } from "@centspan/model";
import { errors, Pool } from "undici";
import { receiveAnswer, type Sending } from "./receive-answer.ts";

/** What is particular about a provider. Everything that is not listed is an OpenAI-compatible server that measures. */
type ProviderTraits = {
  takesTokenIds: boolean;
  /** Answers how many tokens a prompt of Messages has. */
  countsTokens: boolean;
  seesIdentity: boolean;
  /** Its prompt cache forgets what is not asked for in time, and not only what it has no room for. */
  cacheExpires: boolean;
  provenance: Provenance;
  /** How it wants to see its key. */
  writeKey(key: string): Record<string, string>;
};
const OTHER_PROVIDER: ProviderTraits = {
  takesTokenIds: false,
  countsTokens: false,
  seesIdentity: false,
  cacheExpires: false,
  provenance: "measured",
  writeKey: (key) => ({ authorization: `Bearer ${key}` }),
};
const PROVIDERS: Partial<Record<string, ProviderTraits>> = {
  // Our own engine: its clock is a model, and it trusts the gateway's token ids.
  centspan: { ...OTHER_PROVIDER, takesTokenIds: true, seesIdentity: true, provenance: "simulated" },
  openai: { ...OTHER_PROVIDER, cacheExpires: true },
  anthropic: { ...OTHER_PROVIDER, countsTokens: true, cacheExpires: true, writeKey: (key) => ({ "x-api-key": key }) },
};

export type UpstreamOptions = { url: string; key: string | undefined; provider: string };

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
  /** Sends a request; the answer rejects with upstream_failed or upstream_timeout when none begins. */
  send(call: UpstreamCall): Sending;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** Reasoning models stay silent for minutes before the first byte, and between bytes. */
const SILENCE_TIMEOUT_MS = 600_000;

export function createUpstream({ url, key, provider }: UpstreamOptions): Upstream {
  const base = new URL(url);
  // Addresses are given both with and without the version that every route here starts with.
  const prefix = base.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  const pool = new Pool(base.origin, {
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });
  const traits = PROVIDERS[provider] ?? OTHER_PROVIDER;
  const credential = key === undefined ? {} : traits.writeKey(key);
  return {
    ...traits,
    origin: base.origin,
    provider,
    send({ method, path, headers, body }) {
      const request = { method, path: prefix + path, headers: { ...headers, ...credential }, body };
      const sending = receiveAnswer((handler) => pool.dispatch(request, handler));
      return {
        ...sending,
        answer: sending.answer.catch((thrown: unknown) => {
          throw translateUpstreamError(thrown);
        }),
      };
    },
    close: () => pool.close(),
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

const PASSED_ON =
  /^(accept|content-type|user-agent|originator|idempotency-key|(session|thread|conversation)-id|(openai|anthropic)-.+|x-.+)$/;
/** Whatever a header's name calls a credential is one. */
const KEPT_BACK = /^(x|openai|anthropic)-(.*(api-?key|token|secret|auth|credential|password).*|forwarded-.+|real-ip)$/;
const IDENTITY = /^x-centspan-/;

/** The client's headers that go upstream: what shapes the answer, never credentials, hops or addresses. */
export function selectRequestHeaders(headers: IncomingHttpHeaders, upstream: Upstream): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || !PASSED_ON.test(name) || KEPT_BACK.test(name)) continue;
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
