/**
 * Signing in: passwords and a provider, sessions, and what an invitation's link leads to. Answers with the cookies to set and
 * never with a secret. Invariants: whoever signs in gets a session of their own, new; a changed password ends all others.
 */
import { CentspanError, createId } from "@centspan/base";
import { nameActor } from "@centspan/model";
import { hashPassword } from "better-auth/crypto";
import { eq } from "drizzle-orm";
import { openDatabase } from "../open-database.ts";
import { people, sessions, signInAccounts } from "../people-schema.ts";
import { insertMember, takeInvitation } from "../people-store.ts";
import { insertAudit } from "../period-store.ts";
import { guardStore } from "../store-errors.ts";
import { type Database, type Transaction, transact } from "../transact.ts";
import { countTry, forgetTries } from "./count-tries.ts";
import { type AuthSettings, createAuth, PASSWORD_LENGTH, PROVIDER } from "./create-auth.ts";

/** Values of `Set-Cookie`. */
export type Cookies = readonly string[];
export type SignedIn = { sessionId: string; personId: string; email: string; name: string };

export type SignIn = {
  findSession(headers: Headers): Promise<SignedIn | null>;
  /** `unauthenticated` for what is not right, whichever of the two; `rate_limited` after too many tries. */
  signIn(given: { email: string; password: string; address: string }, headers: Headers): Promise<Cookies>;
  /** Where the provider asks who it is; it sends people back to `finish`, and that to the path `next`. */
  begin(next: string, headers: Headers): Promise<{ location: string; cookies: Cookies }>;
  finish(request: Request): Promise<Response>;
  signOut(headers: Headers): Promise<Cookies>;
  signOutEverywhere(personId: string, headers: Headers): Promise<Cookies>;
  /** `unauthenticated` where the one before is not right. */
  changePassword(given: { before: string; after: string }, headers: Headers): Promise<Cookies>;
  /** By an invitation's link: makes the account, or sets its new password. `conflict` for who has an account and has to sign in. */
  join(token: string, given: { name: string; password: string }, headers: Headers): Promise<Cookies>;
  /** The same for who is signed in. `conflict` where somebody else was invited. */
  joinAs(token: string, person: SignedIn): Promise<void>;
  close(): Promise<void>;
};

export function openSignIn({ databaseUrl, ...settings }: AuthSettings & { databaseUrl: string }): SignIn {
  const { db, close } = openDatabase({ url: databaseUrl, maxConnections: 4 });
  const auth = createAuth(db, settings);
  const byPassword = async (email: string, password: string, headers: Headers): Promise<Cookies> =>
    takeCookies(await auth.api.signInEmail({ body: { email, password }, headers, asResponse: true }));
  return {
    ...guardStore({
      async findSession(headers: Headers) {
        const found = await auth.api.getSession({ headers });
        if (found === null) return null;
        const { session, user } = found;
        return { sessionId: session.id, personId: user.id, email: user.email, name: user.name };
      },

      async signIn(
        { email, password, address }: { email: string; password: string; address: string },
        headers: Headers,
      ) {
        const trier = { email: email.toLowerCase(), address };
        await countTry(db, trier);
        const cookies = await byPassword(email, password, headers);
        await forgetTries(db, trier);
        return cookies;
      },

      async begin(next: string, headers: Headers) {
        const body = { provider: PROVIDER, callbackURL: next, errorCallbackURL: "/sign-in", disableRedirect: true };
        const response = await auth.api.signInSocial({ body, headers, asResponse: true });
        const cookies = takeCookies(response);
        const answer: unknown = await response.json();
        const url = typeof answer === "object" && answer !== null && "url" in answer ? answer.url : null;
        if (typeof url !== "string") throw new CentspanError("not_ready", "the OpenID provider does not answer");
        return { location: url, cookies };
      },

      finish: (request: Request) => auth.handler(request),

      async signOut(headers: Headers) {
        return takeCookies(await auth.api.signOut({ headers, asResponse: true }));
      },

      async signOutEverywhere(personId: string, headers: Headers) {
        await db.delete(sessions).where(eq(sessions.userId, personId));
        return takeCookies(await auth.api.signOut({ headers, asResponse: true }));
      },

      async changePassword({ before, after }: { before: string; after: string }, headers: Headers) {
        requireLength(after);
        const body = { currentPassword: before, newPassword: after, revokeOtherSessions: true };
        return takeCookies(await auth.api.changePassword({ body, headers, asResponse: true }));
      },

      async join(token: string, given: { name: string; password: string }, headers: Headers) {
        requireLength(given.password);
        const passwordHash = await hashPassword(given.password);
        const email = await transact(db, (tx) => acceptByLink(tx, token, { name: given.name, passwordHash }));
        return byPassword(email, given.password, headers);
      },

      joinAs: (token: string, person: SignedIn) => acceptSignedIn(db, token, person),
    }),
    close,
  };
}

/** Of an answer that went well; one that did not is an error of ours, whose words say no more than they have to. */
function takeCookies(response: Response): Cookies {
  if (response.ok) return response.headers.getSetCookie();
  if (response.status >= 500) throw new CentspanError("internal", `signing in failed with ${response.status}`);
  throw new CentspanError("unauthenticated", "e-mail or password: not right");
}

function requireLength(password: string): void {
  const { least, most } = PASSWORD_LENGTH;
  if (password.length >= least && password.length <= most) return;
  throw new CentspanError("invalid_request", `password: must have ${least} to ${most} characters`, {
    field: "password",
  });
}

const noLink = (): CentspanError =>
  new CentspanError("not_found", "The link is not good: it was used, withdrawn, or its time is over.");

type NewAccount = { name: string; passwordHash: string };

/** The address that may sign in then. */
async function acceptByLink(tx: Transaction, token: string, { name, passwordHash }: NewAccount): Promise<string> {
  const invitation = await takeInvitation(tx, token);
  if (invitation === null) throw noLink();
  const { email, workspace, isReset } = invitation;
  const [known] = await tx.select({ id: people.id }).from(people).where(eq(people.email, email));
  if (isReset) {
    if (known === undefined) throw noLink();
    await setPassword(tx, known.id, passwordHash);
    await tx.delete(sessions).where(eq(sessions.userId, known.id));
    const actor = nameActor({ keyName: email, keyId: known.id });
    await insertAudit(tx, workspace, { actor, action: "member.password", subject: known.id, details: { email } });
    return email;
  }
  if (known !== undefined)
    throw new CentspanError("conflict", `email: ${email} has an account: sign in, then open the link`);
  const id = createId("per");
  await tx.insert(people).values({ id, email, name });
  await setPassword(tx, id, passwordHash);
  await insertMember(tx, invitation, { id, email });
  return email;
}

async function setPassword(tx: Transaction, personId: string, passwordHash: string): Promise<void> {
  const account = { userId: personId, providerId: "credential", accountId: personId, password: passwordHash };
  await tx
    .insert(signInAccounts)
    .values({ id: createId("acc"), ...account })
    .onConflictDoUpdate({
      target: [signInAccounts.providerId, signInAccounts.accountId],
      set: { password: passwordHash },
    });
}

const acceptSignedIn = (db: Database, token: string, { personId, email }: SignedIn): Promise<void> =>
  transact(db, async (tx) => {
    const invitation = await takeInvitation(tx, token);
    if (invitation === null || invitation.isReset) throw noLink();
    if (invitation.email !== email)
      throw new CentspanError("conflict", `email: the link is for ${invitation.email}, and you are ${email}`);
    await insertMember(tx, invitation, { id: personId, email });
  });
