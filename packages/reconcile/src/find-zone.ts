/**
 * Whose days a provider booked by, where they are not UTC's: the zone in which most series come out exactly as they were
 * invoiced, on every day. Zones whose days begin at the same instants can't be told apart, and go by their best known name.
 */
import { type Decimal, nextDay, startOfDayNs, sumDecimals, ZERO } from "@centspan/base";
import type { UsageCell, UsageQuestion } from "@centspan/model";
import {
  groupBy,
  type Invoiced,
  type Matching,
  type Rated,
  type Series,
  toZoneDays,
  type Unit,
  walkDays,
  type ZoneDay,
} from "./match-lines.ts";

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

/** As many quarters of an hour may be asked for, but of a few series in any case. */
const MOST_QUARTERS = 100_000;
const LEAST_SERIES = 8;
const QUARTERS_OF_DAY = 96;

/** What the ledger says of the days, and of one beyond on either side. */
type Ask = (question: Pick<UsageQuestion, "cells" | "only">) => Promise<UsageCell[]>;

/**
 * Null where no other zone explains a series, all of which the file has. `days` are those of the file, in order; `own` is
 * the workspace's zone. The dearest series tell which zone it is, quarter by quarter, and its days then what it explains.
 */
export async function findZone(
  series: readonly Series[],
  { unit, group }: Pick<Matching, "unit" | "group">,
  { days, own, ask }: { days: readonly string[]; own: string; ask: Ask },
): Promise<ZoneFinding | null> {
  const [first, last] = [days[0], days.at(-1)];
  if (series.length === 0 || first === undefined || last === undefined) return null;
  const most = Math.max(LEAST_SERIES, Math.floor(MOST_QUARTERS / (days.length * QUARTERS_OF_DAY)));
  const dearest = series.toSorted((a, b) => sumInvoiced(b).cmp(sumInvoiced(a))).slice(0, most);
  const only = groupBy(
    dearest.flatMap(({ cells }) => cells),
    ({ team, key, model }) => JSON.stringify([team, key, model]),
  );
  const quarters = group(await ask({ cells: "quarters", only: [...only.values()].flatMap(([cell]) => cell ?? []) }));
  const explain = (zone: string, some: readonly Series[], cells: ReadonlyMap<string, UsageCell[]>): Series[] => {
    const zoneDays = toZoneDays(days, zone);
    return some.filter((one) => comesOut(one, cells.get(one.name) ?? [], unit, zoneDays));
  };
  let best = { zone: "", explained: 0 };
  for (const zone of listZones(first, last, own)) {
    const explained = explain(zone, dearest, quarters).length;
    if (explained > best.explained) best = { zone, explained };
  }
  if (best.explained === 0) return null;
  const cells = group(await ask({ cells: { daysOf: best.zone } }));
  return { zone: best.zone, series: new Set(explain(best.zone, series, cells)) };
}

const sumInvoiced = ({ invoiced }: Series): Decimal => sumDecimals([...invoiced.values()].map(({ value }) => value));

function comesOut({ invoiced }: Series, cells: readonly UsageCell[], unit: Unit, days: readonly ZoneDay[]): boolean {
  for (const [day, rated] of walkDays(cells, unit, days)) if (!isEqual(invoiced.get(day), rated)) return false;
  return true;
}

/** What came after its month was closed may be in the file, or not. */
function isEqual(theirs: Invoiced | undefined, rated: Rated | undefined): boolean {
  if (rated === undefined) return theirs === undefined;
  const { value, later } = rated;
  if (theirs?.value.eq(value) === true) return true;
  return !later.eq(ZERO) && value.minus(later).eq(theirs?.value ?? ZERO);
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
