/**
 * Who may use the pages: on a loopback address whoever is at this machine, without a password; at any other address people who
 * sign in. Pure. Invariant: what can be reached from elsewhere is never without a sign-in, whatever is set.
 */
import { CentspanError } from "@centspan/base";
import type { OidcSettings } from "@centspan/control/sign-in";
import { MEMBER_ROLES } from "@centspan/model";
import { z } from "zod";
import { isLoopbackName, readHosts } from "./known-host.ts";

export type SignInMode =
  | { kind: "single-user" }
  | { kind: "accounts"; url: string; secret: string; oidc: OidcSettings | null };

type Environment = Readonly<Record<string, string | undefined>>;

/** Empty counts as not set, as compose files pass on what nobody said. */
const given = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

const fault = (name: string, message: string): CentspanError =>
  new CentspanError("invalid_request", `${name}: ${message}`, { field: name });

/** Why others may reach the pages; null where nobody does. */
function findWayIn(env: Environment): string | null {
  const { HOSTNAME, CENTSPAN_WEB_HOSTS, CENTSPAN_WEB_URL } = env;
  if (HOSTNAME === undefined || !isLoopbackName(HOSTNAME)) return `HOSTNAME is ${HOSTNAME ?? "not set"}`;
  if ([...readHosts(CENTSPAN_WEB_HOSTS)].some((name) => name !== ""))
    return `CENTSPAN_WEB_HOSTS is ${CENTSPAN_WEB_HOSTS}`;
  const url = given(CENTSPAN_WEB_URL);
  if (url === undefined) return null;
  return isLoopbackName(readUrl(url).hostname) ? null : `CENTSPAN_WEB_URL is ${url}`;
}

function readUrl(text: string): URL {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw fault("CENTSPAN_WEB_URL", `${JSON.stringify(text)} is no address such as https://costs.example.com`);
}

export function readSignInMode(env: Environment): SignInMode {
  const wayIn = findWayIn(env);
  const asked = given(env.CENTSPAN_SIGN_IN) ?? (wayIn === null ? "off" : "on");
  if (asked !== "on" && asked !== "off")
    throw fault("CENTSPAN_SIGN_IN", `${JSON.stringify(asked)} is neither on nor off`);
  if (asked === "on") return readAccounts(env);
  if (wayIn === null) return { kind: "single-user" };
  throw fault(
    "CENTSPAN_SIGN_IN",
    `off is for one person at this machine, and others can reach these pages (${wayIn}): set it to on, or listen at 127.0.0.1`,
  );
}

function readAccounts(env: Environment): SignInMode {
  const text = given(env.CENTSPAN_WEB_URL);
  if (text === undefined)
    throw fault("CENTSPAN_WEB_URL", "is not set: to sign in, the pages need the address that people reach them at");
  const url = readUrl(text);
  if (url.protocol === "http:" && !isLoopbackName(url.hostname))
    throw fault(
      "CENTSPAN_WEB_URL",
      `${text} is not https: passwords and sessions would be read on their way; put a proxy with a certificate before the pages`,
    );
  const secret = given(env.CENTSPAN_AUTH_SECRET) ?? "";
  if (secret.length < 32)
    throw fault(
      "CENTSPAN_AUTH_SECRET",
      "has to have 32 characters or more, made by `openssl rand -base64 32`, the same after each start",
    );
  return { kind: "accounts", url: url.origin, secret, oidc: readOidc(env) };
}

const oidcSchema = z.object({
  CENTSPAN_OIDC_ISSUER: z.url("is no address"),
  CENTSPAN_OIDC_CLIENT_ID: z.string("is not set"),
  CENTSPAN_OIDC_CLIENT_SECRET: z.string("is not set"),
  CENTSPAN_OIDC_NAME: z.string().default("OpenID Connect"),
  CENTSPAN_OIDC_ROLE: z
    .enum(MEMBER_ROLES, `is none of ${MEMBER_ROLES.join(", ")}`)
    .nullable()
    .default(null),
  CENTSPAN_WORKSPACE: z.string().default("default"),
});

function readOidc(env: Environment): OidcSettings | null {
  const said = Object.fromEntries(Object.entries(env).filter(([, value]) => given(value) !== undefined));
  if (said.CENTSPAN_OIDC_ISSUER === undefined) return null;
  const parsed = oidcSchema.safeParse(said);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw fault(String(issue?.path[0]), issue?.message ?? "is not valid");
  }
  const { data } = parsed;
  return {
    issuer: data.CENTSPAN_OIDC_ISSUER,
    clientId: data.CENTSPAN_OIDC_CLIENT_ID,
    clientSecret: data.CENTSPAN_OIDC_CLIENT_SECRET,
    name: data.CENTSPAN_OIDC_NAME,
    role: data.CENTSPAN_OIDC_ROLE,
    workspace: data.CENTSPAN_WORKSPACE,
  };
}
