/**
 * Time as a port. Rules and engines get a Clock; only apps make the wall clock.
 * Instants are nanoseconds since the Unix epoch as bigint; durations end in Ns or Ms.
 */
export type Clock = { nowNs(): bigint };

/**
 * Wall clock in nanoseconds; never runs backwards within a process. Its origin is the runtime's own time origin,
 * which has microseconds, so that processes of one machine agree to about as much.
 */
export function createWallClock(): Clock {
  const originNs = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
  const startedNs = process.hrtime.bigint();
  return { nowNs: () => originNs + (process.hrtime.bigint() - startedNs) };
}

/** A clock that stands still until told otherwise: for tests and simulations. */
export function createManualClock(startNs = 0n): Clock & { set(ns: bigint): void } {
  let now = startNs;
  return {
    nowNs: () => now,
    set(ns) {
      if (ns < now) throw new RangeError("a clock does not run backwards");
      now = ns;
    },
  };
}

/** ISO 8601 in UTC with all nine decimals: 2026-11-29T17:44:14.123456789Z. */
export function formatInstant(ns: bigint): string {
  const seconds = ns / 1_000_000_000n;
  const fraction = ns % 1_000_000_000n;
  const base = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${base}.${fraction.toString().padStart(9, "0")}Z`;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?$/;

/** Reads ISO 8601 (or ClickHouse's "YYYY-MM-DD hh:mm:ss.n", which is UTC) to nanoseconds; null when it is neither. */
export function parseInstant(text: string): bigint | null {
  const match = INSTANT.exec(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (!match?.[1]) return null;
  const ms = Date.parse(`${match[1].replace(" ", "T")}${match[3] ?? "Z"}`);
  if (Number.isNaN(ms)) return null;
  return BigInt(ms) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}
