/**
 * How often a sign-in may be tried: of one mail address, whoever tries it, and of one network address, whatever it tries. A try
 * is counted before the password is looked at, so that many at once are no more than as many one after the other.
 */
import { CentspanError, deriveId } from "@centspan/base";
import { eq, lt, sql } from "drizzle-orm";
import { signInTries } from "../people-schema.ts";
import type { Database } from "../transact.ts";

const MINUTES = 15;
const MOST = { email: 10, address: 100 };
export type Trier = Record<keyof typeof MOST, string>;

/** What was typed may be anything of any length. */
const subjectOf = (kind: keyof typeof MOST, { [kind]: text }: Trier): string => deriveId(kind, text);

export async function countTry(db: Database, trier: Trier): Promise<void> {
  const window = sql`make_interval(mins => ${MINUTES})`;
  const isOver = sql`${signInTries.since} <= now() - ${window}`;
  for (const kind of ["address", "email"] as const) {
    const [counted] = await db
      .insert(signInTries)
      .values({ subject: subjectOf(kind, trier), tries: 1 })
      .onConflictDoUpdate({
        target: signInTries.subject,
        set: {
          tries: sql`CASE WHEN ${isOver} THEN 1 ELSE ${signInTries.tries} + 1 END`,
          since: sql`CASE WHEN ${isOver} THEN now() ELSE ${signInTries.since} END`,
        },
      })
      .returning({
        tries: signInTries.tries,
        leftS: sql<number>`ceil(extract(epoch FROM ${signInTries.since} + ${window} - now()))::int`,
      });
    if (counted === undefined || counted.tries <= MOST[kind]) continue;
    throw new CentspanError(
      "rate_limited",
      `${kind}: more than ${MOST[kind]} tries to sign in within ${MINUTES} minutes`,
      {
        retryAfterS: Math.max(1, counted.leftS),
      },
    );
  }
}

/** After the right password; with it what nobody tries any more. */
export async function forgetTries(db: Database, trier: Trier): Promise<void> {
  await db.delete(signInTries).where(eq(signInTries.subject, subjectOf("email", trier)));
  await db.delete(signInTries).where(lt(signInTries.since, sql`now() - make_interval(hours => 24)`));
}
