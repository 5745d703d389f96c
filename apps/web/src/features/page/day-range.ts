/**
 * The days of a page, in the zone whose calendar the workspace follows: 30 complete days unless the address says
 * otherwise, against the equally long time before. Pure.
 */
import {
  CentspanError,
  dayOf,
  formatInstant,
  nextDay,
  parseInstant,
  startBeforeNs,
  startOfDayNs,
} from "@centspan/base";
import type { Params } from "./params.ts";

export const LENGTHS = ["7d", "30d", "90d"] as const;
type Length = (typeof LENGTHS)[number];
const DAYS: Record<Length, number> = { "7d": 7, "30d": 30, "90d": 90 };

/** Days are YYYY-MM-DD, the last one included; `from` and `to` are instants, `to` exclusive. */
export type DayRange = {
  id: Length | "custom";
  zone: string;
  firstDay: string;
  lastDay: string;
  from: string;
  to: string;
  /** Equally many days, up to `from`. */
  before: { firstDay: string; lastDay: string; from: string };
  /** The last day is not over. */
  isOpen: boolean;
};

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const isDay = (text: string | undefined): boolean => text !== undefined && DAY.test(text);

const shiftDay = (day: string, by: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + by * DAY_MS).toISOString().slice(0, 10);

function makeRange(id: DayRange["id"], zone: string, [firstDay, lastDay]: readonly [string, string], today: string) {
  const fromNs = startOfDayNs(zone, firstDay);
  const toNs = startOfDayNs(zone, nextDay(lastDay));
  const beforeNs = startBeforeNs(zone, fromNs, toNs);
  const range: DayRange = {
    id,
    zone,
    firstDay,
    lastDay,
    from: formatInstant(fromNs),
    to: formatInstant(toNs),
    before: { firstDay: dayOf(zone, beforeNs), lastDay: shiftDay(firstDay, -1), from: formatInstant(beforeNs) },
    isOpen: lastDay >= today,
  };
  return range;
}

/** A day, or an instant that another page's address carried along. */
function readDay(params: Params, name: "from" | "to", zone: string): string | null {
  const text = params[name];
  if (text === undefined) return null;
  const ns = parseInstant(text);
  if (ns === null)
    throw new CentspanError("invalid_request", `${name}: is not a day such as 2026-11-30`, { field: name });
  return DAY.test(text) ? text : dayOf(zone, name === "to" ? ns - 1n : ns);
}

const isLength = (text: string | undefined): text is Length => LENGTHS.some((length) => length === text);

export function readDayRange(params: Params, zone: string, nowNs: bigint): DayRange {
  const today = dayOf(zone, nowNs);
  const yesterday = shiftDay(today, -1);
  const first = readDay(params, "from", zone);
  const last = readDay(params, "to", zone);
  if (first !== null || last !== null) {
    const lastDay = last ?? (first !== null && first > yesterday ? first : yesterday);
    const firstDay = first ?? shiftDay(lastDay, 1 - DAYS["30d"]);
    if (firstDay > lastDay) throw new CentspanError("invalid_request", "to: is before from", { field: "to" });
    return makeRange("custom", zone, [firstDay, lastDay], today);
  }
  const id = isLength(params.period) ? params.period : "30d";
  return makeRange(id, zone, [shiftDay(yesterday, 1 - DAYS[id]), yesterday], today);
}

/** As many days, the last of them one that is not over: for a workspace whose spend began today. */
export function reachToday(range: DayRange, nowNs: bigint): DayRange {
  const today = dayOf(range.zone, nowNs);
  return range.id === "custom"
    ? range
    : makeRange(range.id, range.zone, [shiftDay(today, 1 - DAYS[range.id]), today], today);
}
