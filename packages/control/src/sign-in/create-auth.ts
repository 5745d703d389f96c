/**
 * The sign-in library (better-auth) as it is used here: e-mail and password, one OpenID provider, sessions in Postgres behind a
 * signed cookie. Nobody signs up: who is not invited is refused. Only what `open-sign-in.ts` calls of it can be reached.
 */
import { createId } from "@centspan/base";
import type { MemberRole } from "@centspan/model";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { APIError } from "better-auth/api";
import { betterAuth } from "better-auth/minimal";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { and, eq, gt, sql } from "drizzle-orm";
import { invitations, people, sessions, signInAccounts, signInStates } from "../people-schema.ts";
import { acceptInvitations, insertMember } from "../people-store.ts";
import { type Database, transact } from "../transact.ts";

export type OidcSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What people call it: "Continue with …". */
  name: string;
  /** Of whoever it signs in, in `workspace`; null: only who is invited. */
  role: MemberRole | null;
  workspace: string;
};

export type AuthSettings = {
  /** Where people reach the pages; its scheme says whether cookies are for https alone. */
  url: string;
  /** Signs cookies. */
  secret: string;
  oidc: OidcSettings | null;
};

export const PASSWORD_LENGTH = { least: 12, most: 128 };
export const SESSION_DAYS = 7;
export const PROVIDER = "oidc";
/** Under the address of the pages. */
export const AUTH_PATH = "/auth";

const IDS: Readonly<Record<string, string>> = { user: "per", session: "ses", account: "acc", verification: "sta" };

const describeProvider = ({ issuer, clientId, clientSecret, name }: OidcSettings) =>
  genericOAuth({
    config: [
      {
        ...{ providerId: PROVIDER, name, clientId, clientSecret },
        discoveryUrl: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
        scopes: ["openid", "email", "profile"],
        pkce: true,
        requireIdTokenVerification: true,
      },
    ],
  });

/** A new person comes only from the provider: people with passwords are made by their invitation. */
async function requireWelcome(db: Database, { email, emailVerified }: { email: string; emailVerified: boolean }) {
  if (!emailVerified) {
    throw new APIError("FORBIDDEN", {
      code: "email_not_verified",
      message: "The provider does not vouch for the address.",
    });
  }
  const [invitation] = await db
    .select({ id: invitations.id })
    .from(invitations)
    .where(and(eq(invitations.email, email), eq(invitations.isReset, false), gt(invitations.expiresAt, sql`now()`)));
  if (invitation === undefined)
    throw new APIError("FORBIDDEN", { code: "not_invited", message: "Nobody has invited this address." });
}

async function welcome(db: Database, personId: string, oidc: OidcSettings | null): Promise<void> {
  const [person] = await db.select().from(people).where(eq(people.id, personId));
  if (!person?.emailVerified) return;
  await acceptInvitations(db, person);
  if (oidc === null || oidc.role === null) return;
  const { role, workspace } = oidc;
  await transact(db, (tx) => insertMember(tx, { role, workspace }, person));
}

/** What the provider lets others do in a person's name is not asked for, and not kept. */
const withoutTokens = { accessToken: null, refreshToken: null, idToken: null };

export const createAuth = (db: Database, { url, secret, oidc }: AuthSettings) =>
  betterAuth({
    appName: "Centspan",
    baseURL: url,
    basePath: AUTH_PATH,
    secret,
    database: drizzleAdapter(db, {
      provider: "pg",
      schema: { user: people, session: sessions, account: signInAccounts, verification: signInStates },
    }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH.least,
      maxPasswordLength: PASSWORD_LENGTH.most,
    },
    // A session ends when it ends: pages can't renew a cookie while they are made.
    session: { expiresIn: SESSION_DAYS * 86_400, disableSessionRefresh: true },
    databaseHooks: {
      user: {
        create: {
          before: async (person) =>
            oidc?.role == null || !person.emailVerified ? requireWelcome(db, person) : undefined,
        },
      },
      account: {
        create: { before: async (account) => ({ data: { ...account, ...withoutTokens } }) },
        update: { before: async (account) => ({ data: { ...account, ...withoutTokens } }) },
      },
      session: { create: { after: ({ userId }) => welcome(db, userId, oidc) } },
    },
    plugins: oidc === null ? [] : [describeProvider(oidc)],
    onAPIError: { errorURL: new URL("/sign-in", url).href },
    // Tries are counted by `count-tries.ts`, before anything else happens.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // Without what it was about: a statement that failed is told with its parameters, tokens of sessions among them.
    logger: { level: "error", log: (_level, message) => process.stderr.write(`sign-in: ${message}\n`) },
    advanced: {
      cookiePrefix: "centspan",
      useSecureCookies: url.startsWith("https:"),
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => createId(IDS[model] ?? model) },
    },
  });
