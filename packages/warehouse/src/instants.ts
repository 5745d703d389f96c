/** Instants between TypeScript (nanoseconds since 1970 as bigint) and ClickHouse (DateTime64(9), text in, Int64 out). */
import { CentspanError, formatInstant } from "@centspan/base";

/** The last nanosecond that DateTime64(9) holds: 2262-04-11. */
export const LAST_NS = 2n ** 63n - 1n;

/** The nearest instant that ClickHouse holds, for bounds that say no more by lying beyond. */
export function limitInstant(ns: bigint): bigint {
  if (ns < 0n) return 0n;
  return ns > LAST_NS ? LAST_NS : ns;
}

/** Refuses an instant that ClickHouse can't hold, because it would be stored as another. */
export function requireInstant(ns: bigint, field: string): void {
  if (ns >= 0n && ns <= LAST_NS) return;
  throw new CentspanError("invalid_request", `${field}: is not between 1970 and 2262`, { field });
}

/** An instant as ClickHouse reads it. */
export function writeInstant(ns: bigint, field: string): string {
  requireInstant(ns, field);
  return formatInstant(ns).replace("T", " ").slice(0, -1);
}

/** SQL that gives a column's instant as nanoseconds. */
export const nanoseconds = (column: string): string => `toUnixTimestamp64Nano(${column})`;

/** SQL for the instant of a parameter of nanoseconds. */
export const instantParam = (name: string): string => `fromUnixTimestamp64Nano({${name}:Int64}, 'UTC')`;
