/**
 * Idle chDB sessions by profile. A session serves one statement at a time; its settings are made once, when it is
 * opened, and it serves only requests of the same profile, so nothing leaks from one request into another. A read-only
 * session gets its limits first and `readonly` last: after that the engine lets nothing change any of them.
 * Query parameters stay in a session, but every statement's placeholders are checked against its own request.
 */
import type { ChdbResult, Session } from "chdb";
import { ClickHouseException } from "./exceptions.ts";
import type { Profile } from "./request.ts";
import { quoteIdentifier, quoteString } from "./sql-text.ts";

const MAX_IDLE = 64;

export class SessionPool {
  readonly #open: () => Session;
  /** Least recently used first. */
  #idle: { key: string; session: Session }[] = [];

  constructor(open: () => Session) {
    this.#open = open;
  }

  /** `once`: the statement may change the session, which is therefore thrown away. */
  async use<Result>(profile: Profile, once: boolean, work: (session: Session) => Promise<Result>): Promise<Result> {
    const key = profileKey(profile);
    const session = this.#takeIdle(key) ?? (await this.#openWith(profile));
    try {
      return await work(session);
    } finally {
      if (once) session.close();
      else this.#keepIdle(key, session);
    }
  }

  close(): void {
    for (const { session } of this.#idle.splice(0)) session.close();
  }

  #takeIdle(key: string): Session | undefined {
    const index = this.#idle.findLastIndex((entry) => entry.key === key);
    return index < 0 ? undefined : this.#idle.splice(index, 1)[0]?.session;
  }

  #keepIdle(key: string, session: Session): void {
    this.#idle.push({ key, session });
    // chDB defers a close while statements run elsewhere; only many different profiles ever come to this.
    if (this.#idle.length > MAX_IDLE) this.#idle.shift()?.session.close();
  }

  async #openWith(profile: Profile): Promise<Session> {
    const session = this.#open();
    try {
      for (const sql of profileStatements(profile)) await session.queryAsync(sql);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }
}

/**
 * After a failure the engine keeps the statement in its list, with its memory, until the session runs another one: so it
 * gets another one.
 */
export async function runStatement(session: Session, sql: string, format = "TSV"): Promise<ChdbResult> {
  try {
    return await session.queryAsync(sql, { format });
  } catch (error) {
    await session.queryAsync("SELECT 1");
    throw error;
  }
}

export async function setParameters(session: Session, params: Map<string, string>, used: string[]): Promise<void> {
  for (const name of used) {
    if (params.has(name)) continue;
    throw new ClickHouseException(456, "UNKNOWN_QUERY_PARAMETER", `Substitution \`${name}\` is not set`);
  }
  if (used.length === 0) return;
  const assignments = used.map((name) => `param_${name} = ${quoteString(params.get(name) ?? "")}`);
  await session.queryAsync(`SET ${assignments.join(", ")}`);
}

export function settingAssignments(settings: Map<string, string>): string[] {
  return [...settings].map(([name, value]) => `${name} = ${quoteString(value)}`);
}

function profileStatements(profile: Profile): string[] {
  const statements: string[] = [];
  if (profile.settings.size > 0) statements.push(`SET ${settingAssignments(profile.settings).join(", ")}`);
  if (profile.database) statements.push(`USE ${quoteIdentifier(profile.database)}`);
  if (profile.readonly !== "0") statements.push(`SET readonly = ${profile.readonly}`);
  return statements;
}

function profileKey(profile: Profile): string {
  return JSON.stringify([profile.database, profile.readonly, [...profile.settings].sort()]);
}
