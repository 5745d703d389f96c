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

/** The last second that was written: instants come in lists, and most are within the second of the one before. */
let lastSecond = { seconds: 0n, text: "1970-01-01T00:00:00" };

/** ISO 8601 in UTC with all nine decimals: 2026-11-29T17:44:14.123456789Z. */
export function formatInstant(ns: bigint): string {
  const seconds = ns / 1_000_000_000n;
  const fraction = ns % 1_000_000_000n;
  if (seconds !== lastSecond.seconds) {
    lastSecond = { seconds, text: new Date(Number(seconds) * 1000).toISOString().slice(0, 19) };
  }
  return `${lastSecond.text}.${fraction.toString().padStart(9, "0")}Z`;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads ISO 8601 (or ClickHouse's "YYYY-MM-DD hh:mm:ss.n", which is UTC) to nanoseconds; null when it is neither, or a
 * day that the calendar does not have.
 */
export function parseInstant(text: string): bigint | null {
  const match = INSTANT.exec(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (!match?.[1]) return null;
  const local = match[1].replace(" ", "T");
  const ms = Date.parse(`${local}${match[3] ?? "Z"}`);
  // Date.parse takes the 30th of February for the 2nd of March.
  const isOnCalendar = new Date(`${local}Z`).getUTCDate() === Number(local.slice(8, 10));
  if (Number.isNaN(ms) || !isOnCalendar) return null;
  return BigInt(ms) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}

/** The IANA time zone of that name, as the runtime spells it (Europe/Berlin for europe/berlin); null when there is none. */
export function normaliseTimeZone(name: string): string | null {
  // Offsets such as +09:00, which JavaScript takes too, are not names.
  if (!/^[A-Z]/i.test(name)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
