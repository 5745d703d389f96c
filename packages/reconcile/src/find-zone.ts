/**
 * Whose days a provider booked by, where they are not UTC's: the zone in which most series come out exactly as they were
 * invoiced, on every day. Zones whose days begin at the same instants can't be told apart, and go by their best known name.
 */
import { nextDay, startOfDayNs } from "@centspan/base";
import { type Matching, type Series, sumDays, toZoneDays, type ZoneDay } from "./match-lines.ts";

/** Providers and their customers are more often here than elsewhere. */
const BEST_KNOWN = [
  "America/Los_Angeles",
  "America/New_York",
  "Europe/London",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Asia/Shanghai",
  "Asia/Seoul",
  "Australia/Sydney",
];

export type ZoneFinding = { zone: string; series: Set<Series> };

/** Null where no other zone explains a series, all of which the file has. `days` are those of the file, in order; `own` is the workspace's zone. */
export function findZone(
  series: readonly Series[],
  unit: Matching["unit"],
  days: readonly string[],
  own: string,
): ZoneFinding | null {
  const [first, last] = [days[0], days.at(-1)];
  if (series.length === 0 || first === undefined || last === undefined) return null;
  let best: ZoneFinding | null = null;
  for (const zone of listZones(first, last, own)) {
    const zoneDays = toZoneDays(days, zone);
    const explained = new Set(series.filter((one) => comesOut(one, unit, zoneDays)));
    if (explained.size > (best?.series.size ?? 0)) best = { zone, series: explained };
  }
  return best;
}

function comesOut({ invoiced, cells }: Series, unit: Matching["unit"], days: readonly ZoneDay[]): boolean {
  const ours = sumDays(cells, unit, days);
  return days.every(({ day }) => {
    const [theirs, rated] = [invoiced.get(day), ours.get(day)];
    if (theirs === undefined || rated === undefined) return theirs === undefined && rated === undefined;
    return theirs.value.eq(rated.value);
  });
}

/** One of each kind of zone, but none whose days are those of UTC. */
function listZones(first: string, last: string, own: string): string[] {
  const middle = new Date((Date.parse(first) + Date.parse(last)) / 2).toISOString().slice(0, 10);
  const startsOf = (zone: string): string =>
    [first, middle, nextDay(last)].map((day) => startOfDayNs(zone, day).toString()).join();
  const byStarts = new Map<string, string>([[startsOf("UTC"), "UTC"]]);
  for (const zone of [own, ...BEST_KNOWN, ...Intl.supportedValuesOf("timeZone")]) {
    const starts = startsOf(zone);
    if (!byStarts.has(starts)) byStarts.set(starts, zone);
  }
  return [...byStarts.values()].filter((zone) => zone !== "UTC");
}
