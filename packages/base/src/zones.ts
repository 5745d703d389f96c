/**
 * Calendar days in IANA time zones, by the runtime's own zone data: where a day starts, and which day an instant is in.
 * Invariant: days follow each other without gap or overlap, whether they have 23, 24 or 25 hours.
 */
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function dayOfMs(zone: string, ms: number): string {
  let format = formats.get(zone);
  if (format === undefined) {
    // The locale that writes YYYY-MM-DD.
    format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
    formats.set(zone, format);
  }
  return format.format(ms);
}

/** The day (YYYY-MM-DD) that the instant is in. */
export const dayOf = (zone: string, ns: bigint): string => dayOfMs(zone, Number(ns / 1_000_000n));

/** The first minute whose date there is the day (YYYY-MM-DD) or later: one may begin at one o'clock, or be left out. */
export function startOfDayNs(zone: string, day: string): bigint {
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  let beforeMs = midnightMs - 16 * HOUR_MS;
  let fromMs = midnightMs + 40 * HOUR_MS;
  while (fromMs - beforeMs > MINUTE_MS) {
    const middleMs = beforeMs + Math.floor((fromMs - beforeMs) / (2 * MINUTE_MS)) * MINUTE_MS;
    if (dayOfMs(zone, middleMs) >= day) fromMs = middleMs;
    else beforeMs = middleMs;
  }
  return BigInt(fromMs) * 1_000_000n;
}

/** So many days after the day (YYYY-MM-DD), or before it. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 24 * HOUR_MS).toISOString().slice(0, 10);

export const nextDay = (day: string): string => addDays(day, 1);

/**
 * When the time before begins that a stretch is compared with: as many days, by the zone's calendar, where the stretch is
 * made of days of it, of whatever length; otherwise as long.
 */
export function startBeforeNs(zone: string, fromNs: bigint, toNs: bigint): bigint {
  const [first, end] = [dayOf(zone, fromNs), dayOf(zone, toNs)];
  const isOfDays = startOfDayNs(zone, first) === fromNs && startOfDayNs(zone, end) === toNs;
  if (!isOfDays) return 2n * fromNs - toNs;
  return startOfDayNs(zone, addDays(first, (Date.parse(first) - Date.parse(end)) / (24 * HOUR_MS)));
}
