/**
 * Sessions that clients name with `session_id`: temporary tables and SET values live there between requests. A
 * request's own settings and database hold for that request only, as on a server, so they are put back after it.
 * Requests of one session follow each other; a server would refuse the second (SESSION_IS_LOCKED), but there the first
 * is over before its answer is, and here its settings are put back after it.
 */
import type { Session } from "chdb";
import { ClickHouseException, notImplemented } from "./exceptions.ts";
import type { Profile, QueryRequest } from "./request.ts";
import { settingAssignments } from "./session-pool.ts";
import { quoteIdentifier, quoteString } from "./sql-text.ts";

type Named = { session: Session; waiting: number; last: Promise<unknown>; expiry: NodeJS.Timeout | undefined };

export class HttpSessions {
  readonly #open: () => Session;
  readonly #byId = new Map<string, Named>();

  constructor(open: () => Session) {
    this.#open = open;
  }

  async use<Result>(
    wanted: NonNullable<QueryRequest["session"]>,
    profile: Profile,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    if (profile.readonly !== "0") throw notImplemented("readonly and GET together with session_id are not supported");
    const named = this.#find(wanted.id, wanted.mustExist);
    clearTimeout(named.expiry);
    named.waiting += 1;
    const result = named.last.then(() => withProfile(named.session, profile, () => work(named.session)));
    named.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      named.waiting -= 1;
      if (named.waiting === 0) {
        named.expiry = setTimeout(() => this.#expire(wanted.id), wanted.timeoutS * 1000).unref();
      }
    }
  }

  close(): void {
    for (const id of [...this.#byId.keys()]) this.#expire(id);
  }

  #find(id: string, mustExist: boolean): Named {
    const known = this.#byId.get(id);
    if (known) return known;
    if (mustExist) throw new ClickHouseException(372, "SESSION_NOT_FOUND", `Session ${id} not found`);
    const named: Named = { session: this.#open(), waiting: 0, last: Promise.resolve(), expiry: undefined };
    this.#byId.set(id, named);
    return named;
  }

  #expire(id: string): void {
    const named = this.#byId.get(id);
    this.#byId.delete(id);
    clearTimeout(named?.expiry);
    named?.session.close();
  }
}

async function withProfile<Result>(session: Session, profile: Profile, work: () => Promise<Result>): Promise<Result> {
  const restore: string[] = [];
  try {
    if (profile.settings.size > 0) {
      restore.push(await restoringStatement(session, [...profile.settings.keys()]));
      await session.queryAsync(`SET ${settingAssignments(profile.settings).join(", ")}`);
    }
    if (profile.database) {
      const current = await session.queryAsync("SELECT currentDatabase()", { format: "RawBLOB" });
      restore.push(`USE ${quoteIdentifier(current.text())}`);
      await session.queryAsync(`USE ${quoteIdentifier(profile.database)}`);
    }
    return await work();
  } finally {
    for (const sql of restore) await session.queryAsync(sql);
  }
}

async function restoringStatement(session: Session, names: string[]): Promise<string> {
  const list = names.map(quoteString).join(", ");
  const result = await session.queryAsync(`SELECT name, value, changed FROM system.settings WHERE name IN (${list})`, {
    format: "JSON",
  });
  const { data } = result.json<{ data: { name: string; value: string; changed: number }[] }>();
  const previous = data.map(({ name, value, changed }) => `${name} = ${changed ? quoteString(value) : "DEFAULT"}`);
  return previous.length > 0 ? `SET ${previous.join(", ")}` : "SELECT 1";
}
