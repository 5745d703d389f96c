/**
 * Turns what the driver throws into the errors of the table: a database that is away is `store_unavailable`.
 * Must not: hide a bug; whatever isn't known here is thrown on, without what was written or asked for.
 */
import { CentspanError } from "@centspan/base";
import { DatabaseError } from "pg";

/** Socket and resolver failures that mean "not there now". */
const SOCKET_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);
/** SQLSTATE classes: connection exceptions, insufficient resources, operator intervention; 25006 is a standby. */
const AWAY_STATES = /^(08|53|57|25006)/;
/** node-postgres gives these no code. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

/** The error and everything it was caused by; drizzle and AggregateError wrap the one that tells. */
function causesOf(thrown: unknown): Error[] {
  if (!(thrown instanceof Error)) return [];
  const inner = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return [thrown, ...inner.flatMap(causesOf)];
}

const isAway = (error: Error): boolean =>
  (error instanceof DatabaseError && AWAY_STATES.test(error.code ?? "")) ||
  ("code" in error && typeof error.code === "string" && SOCKET_CODES.has(error.code)) ||
  AWAY_MESSAGES.test(error.message);

/** The name of the constraint that a statement violated; null when it failed for another reason. */
export function violatedConstraint(thrown: unknown): string | null {
  for (const error of causesOf(thrown)) {
    if (error instanceof DatabaseError && error.code?.startsWith("23")) return error.constraint ?? "";
  }
  return null;
}

/** Lock not available: somebody else has had it for longer than one waits. */
const isLockedOut = (error: Error): boolean => error instanceof DatabaseError && error.code === "55P03";

function translateStoreError(thrown: unknown): unknown {
  const causes = thrown instanceof CentspanError ? [] : causesOf(thrown);
  if (causes.some(isLockedOut)) {
    return new CentspanError(
      "store_unavailable",
      "The books are in use: calls are being written, or a month is closing.",
      {
        retryAfterS: 5,
        cause: thrown,
      },
    );
  }
  const refused = causes.find((cause) => cause instanceof DatabaseError);
  if (!causes.some(isAway)) return refused === undefined ? thrown : explainRefusal(refused);
  return new CentspanError("store_unavailable", "The control database (Postgres) does not answer.", {
    retryAfterS: 2,
    cause: thrown,
  });
}

/** NUL, as bytes and as JSON. */
const UNWRITABLE_STATES = /^(22021|22P05)$/;

/** Without the statement and what it was given, as drizzle tells them: they may be secrets, and this goes to logs. */
function explainRefusal({ code = "", message }: DatabaseError): Error {
  if (!UNWRITABLE_STATES.test(code)) return new Error(`Postgres refuses a statement: ${message} (${code})`);
  return new CentspanError("invalid_request", "A text has a NUL in it, which can't be kept.");
}

type Method = (...args: never[]) => Promise<unknown>;

/** The same methods with their errors translated. */
export function guardStore<T extends Record<string, Method>>(store: T): T {
  return new Proxy(store, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) =>
        Reflect.apply(method, target, args).catch((thrown: unknown) => Promise.reject(translateStoreError(thrown)));
    },
  });
}
