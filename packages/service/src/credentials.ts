/**
 * Presented secrets: where a request carries one, and a bounded cache in front of the store that knows them.
 * Must not: log or keep a secret (entries are keyed by its hash).
 * Invariants: a revoked secret stops working within `freshMs` while the store answers; while it is away, what was
 * known goes on for `staleMs`; what nobody knew can't push out what was known.
 */
import { hash } from "node:crypto";
import { CentspanError } from "@centspan/base";

type Headers = Record<string, string | string[] | undefined>;

/**
 * The secret of `Authorization: Bearer`, of Basic's password, or of `x-api-key`; null when the request names none.
 * An Authorization header of another form counts as a secret that nobody knows, not as none.
 */
export function readSecret(headers: Headers): string | null {
  const authorization = headers.authorization;
  if (typeof authorization === "string" && authorization !== "") {
    const [, scheme, value] = /^(\w+)\s+(\S+)\s*$/.exec(authorization) ?? [];
    if (value === undefined) return authorization;
    if (scheme?.toLowerCase() === "bearer") return value;
    if (scheme?.toLowerCase() !== "basic") return authorization;
    const pair = Buffer.from(value, "base64").toString();
    return pair.slice(pair.indexOf(":") + 1);
  }
  const apiKey = headers["x-api-key"];
  return typeof apiKey === "string" ? apiKey : null;
}

type CredentialCacheOptions<T> = {
  /** `before` is what it stood for when it was asked last. */
  find(secret: string, before: T | undefined): Promise<T | null>;
  freshMs?: number;
  unknownMs?: number;
  staleMs?: number;
  maxEntries?: number;
  /** Monotonic milliseconds. */
  nowMs?(): number;
};

export type CredentialCache<T> = {
  /** What the secret stands for, null when nobody knows it. Throws what the store throws when nothing is known yet. */
  find(secret: string): Promise<T | null>;
};

type Known<T> = { value: T; checkedMs: number; askAgainMs: number };

export function createCredentialCache<T>(options: CredentialCacheOptions<T>): CredentialCache<T> {
  const { freshMs = 10_000, unknownMs = 1_000, staleMs = 600_000, maxEntries = 10_000 } = options;
  const nowMs = options.nowMs ?? (() => performance.now());
  const known = new Map<string, Known<T>>();
  const unknown = new Map<string, number>();
  const asked = new Map<string, Promise<T | null>>();

  const ask = async (secret: string, id: string): Promise<T | null> => {
    const startedMs = nowMs();
    const before = known.get(id);
    try {
      const value = await options.find(secret, before?.value);
      known.delete(id);
      if (value === null) putBounded(unknown, id, startedMs + unknownMs, maxEntries);
      else putBounded(known, id, { value, checkedMs: startedMs, askAgainMs: startedMs + freshMs }, maxEntries);
      return value;
    } catch (thrown) {
      const away = thrown instanceof CentspanError && thrown.code === "store_unavailable";
      if (!away || !before || startedMs - before.checkedMs >= staleMs) throw thrown;
      before.askAgainMs = nowMs() + unknownMs;
      return before.value;
    }
  };

  return {
    find(secret) {
      const id = hash("sha256", secret, "base64");
      const entry = known.get(id);
      if (entry && nowMs() < entry.askAgainMs) return Promise.resolve(entry.value);
      if ((unknown.get(id) ?? Number.NEGATIVE_INFINITY) > nowMs()) return Promise.resolve(null);
      const running = asked.get(id);
      if (running) return running;
      const asking = ask(secret, id).finally(() => asked.delete(id));
      asked.set(id, asking);
      return asking;
    },
  };
}

/** Maps keep insertion order: the oldest entry goes first. */
function putBounded<V>(map: Map<string, V>, key: string, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxEntries) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
