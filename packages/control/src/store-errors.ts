/**
 * Turns what the driver throws into the errors of the table: a database that is away is `store_unavailable`.
 * Must not: hide a bug; whatever isn't known here is thrown on as it came.
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

function translateStoreError(thrown: unknown): unknown {
  if (thrown instanceof CentspanError || !causesOf(thrown).some(isAway)) return thrown;
  return new CentspanError("store_unavailable", "The control database (Postgres) does not answer.", {
    retryAfterS: 2,
    cause: thrown,
  });
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
