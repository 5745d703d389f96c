/** Stage api.admit: who asks, how often, and on what budget. Each part leaves its own verdict on the span. */
import type { IncomingHttpHeaders } from "node:http";
import { CentspanError } from "@centspan/base";
import type { Principal } from "@centspan/model";
import { type CredentialCache, readSecret } from "@centspan/service";
import { setAttributes } from "@centspan/telemetry";
import { type Exchange, identify, runStage } from "../exchange.ts";
import { describeKey } from "../identity.ts";
import type { RateLimit } from "../rate-limit.ts";

export type AdmitOptions = { credentials: CredentialCache<Principal>; rateLimit: RateLimit | null };

export function admit(exchange: Exchange, options: AdmitOptions): Promise<Principal> {
  return runStage(exchange, "api.admit", async (span) => {
    const principal = await authenticate(exchange.headers, options.credentials).catch((thrown: unknown) => {
      setAttributes(span, { "centspan.admit.auth": thrown instanceof CentspanError ? thrown.code : "internal" });
      throw thrown;
    });
    const key = describeKey(principal);
    identify(exchange, key);
    setAttributes(span, { ...key, "centspan.admit.auth": "ok", "centspan.admit.budget": "not_set" });
    const waitS = options.rateLimit?.take(principal.keyId) ?? 0;
    setAttributes(span, {
      "centspan.admit.rate_limit": options.rateLimit === null ? "not_set" : waitS > 0 ? "rate_limited" : "ok",
    });
    if (waitS > 0) throw new CentspanError("rate_limited", "this key has used up its requests", { retryAfterS: waitS });
    return principal;
  });
}

/** Only a gateway key spends money. */
export async function authenticate(
  headers: IncomingHttpHeaders,
  credentials: CredentialCache<Principal>,
): Promise<Principal> {
  const field = "authorization";
  const secret = readSecret(headers);
  if (secret === null) throw new CentspanError("unauthenticated", `${field}: a gateway key is needed`, { field });
  const principal = await credentials.find(secret);
  if (!principal) throw new CentspanError("unauthenticated", `${field}: no such key`, { field });
  if (principal.kind !== "gateway") {
    throw new CentspanError("forbidden", `${field}: a key of kind gateway is needed, not ${principal.kind}`, { field });
  }
  return principal;
}
