/** Stage api.admit: who asks, how often, and on what budget. Each part leaves its own verdict on the span. */
import type { IncomingHttpHeaders } from "node:http";
import { CentspanError, formatDecimal } from "@centspan/base";
import { may, type Principal } from "@centspan/model";
import { type CredentialCache, readSecret } from "@centspan/service";
import { type SpanAttributes, setAttributes } from "@centspan/telemetry";
import type { Allowances } from "../allowances.ts";
import type { Budgets } from "../budgets/budgets.ts";
import { type Exchange, identify, runStage } from "../exchange.ts";
import { describeKey, describeSpender } from "../identity.ts";

export type AdmitOptions = {
  credentials: CredentialCache<Principal>;
  requests: Allowances;
  tokens: Allowances;
  /** Of a key without a limit of its own; null is no limit. */
  requestsPerMinute: number | null;
  budgets: Pick<Budgets, "find" | "headroomUsd">;
};

export function admit(exchange: Exchange, options: AdmitOptions): Promise<Principal> {
  return runStage(exchange, "api.admit", async (span) => {
    const principal = await authenticate(exchange.headers, options.credentials).catch((thrown: unknown) => {
      setAttributes(span, { "centspan.admit.auth": thrown instanceof CentspanError ? thrown.code : "internal" });
      throw thrown;
    });
    const key = describeKey(principal);
    identify(exchange, key);
    exchange.workspace = principal.workspace;
    exchange.rules = principal.rules;
    setAttributes(span, { "centspan.admit.auth": "ok", ...key });
    setAttributes(span, await describeBudgets(exchange, principal, options.budgets));
    const verdict = limit(principal, options);
    setAttributes(span, { "centspan.admit.rate_limit": verdict instanceof CentspanError ? verdict.code : verdict });
    if (verdict instanceof CentspanError) throw verdict;
    return principal;
  });
}

/** What is left is known where a call was counted before; whether this one fits is decided when it is known what it asks. */
async function describeBudgets(
  { identity }: Exchange,
  principal: Principal,
  budgets: AdmitOptions["budgets"],
): Promise<SpanAttributes> {
  const concerns = await budgets.find(describeSpender(principal, identity));
  if (concerns.length === 0) return { "centspan.admit.budget": "not_set" };
  const headroomUsd = budgets.headroomUsd(concerns);
  return {
    "centspan.admit.budget": "ok",
    "centspan.budget.names": concerns.map(({ budget }) => budget.name),
    "centspan.budget.headroom_usd": headroomUsd && formatDecimal(headroomUsd),
  };
}

/** Takes one request from the key's allowance, where there is one and something is left of it. */
function limit({ keyId, rules }: Principal, options: AdmitOptions): "ok" | "not_set" | CentspanError {
  const requestsPerMinute = rules.requestsPerMinute ?? options.requestsPerMinute;
  const { tokensPerMinute } = rules;
  const tokensInS = tokensPerMinute === undefined ? 0 : options.tokens.wait(keyId, tokensPerMinute);
  if (tokensInS > 0) return refuse(`its ${tokensPerMinute} tokens a minute`, tokensInS);
  if (requestsPerMinute === null) return tokensPerMinute === undefined ? "not_set" : "ok";
  const requestsInS = options.requests.wait(keyId, requestsPerMinute);
  if (requestsInS > 0) return refuse(`its ${requestsPerMinute} requests a minute`, requestsInS);
  options.requests.spend(keyId, requestsPerMinute, 1);
  return "ok";
}

const refuse = (what: string, retryAfterS: number): CentspanError =>
  new CentspanError("rate_limited", `this key has used up ${what}`, { retryAfterS });

/** Only a gateway key spends money. `field` is the header that it came in. */
export async function authenticate(
  headers: IncomingHttpHeaders,
  credentials: CredentialCache<Principal>,
  field = "authorization",
): Promise<Principal> {
  const secret = readSecret(headers);
  if (secret === null) throw new CentspanError("unauthenticated", `${field}: a gateway key is needed`, { field });
  const principal = await credentials.find(secret);
  if (!principal) throw new CentspanError("unauthenticated", `${field}: no such key`, { field });
  if (!may(principal, "calls.make")) {
    throw new CentspanError("forbidden", `${field}: a key of kind gateway is needed, not ${principal.kind}`, { field });
  }
  return principal;
}
