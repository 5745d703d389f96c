/**
 * The period of a page: from the URL, else the last 30 complete days in the workspace's zone, else (when these hold nothing) the
 * 30 with today, else all time. Pure but for the one question it asks: whether a range holds spend.
 */
import { type DayRange, isDay, reachToday, readDayRange } from "./day-range.ts";
import type { Params } from "./params.ts";

export const PERIODS = ["24h", "7d", "30d", "90d", "all"] as const;
export type PeriodId = (typeof PERIODS)[number] | "custom";

/** `from` inclusive, `to` exclusive, as the Trace API takes them. */
export type Range = { from?: string; to?: string };
export type Period = {
  id: PeriodId;
  range: Range;
  /** As long, before it; null for one without a beginning. */
  before: Range | null;
  /** Where it is made of whole days. */
  days: DayRange | null;
  fellBack: boolean;
};
export type Clock = { zone: string; nowMs: number };

const DAY_MS = 86_400_000;

const isPeriod = (text: string | undefined): text is (typeof PERIODS)[number] => PERIODS.some((id) => id === text);

const ofDays = (days: DayRange): Period => ({
  id: days.id,
  range: { from: days.from, to: days.to },
  before: { from: days.before.from, to: days.from },
  days,
  fellBack: false,
});

const ofRange = (id: PeriodId, range: Range, nowMs: number): Period => ({
  id,
  range,
  before: rangeBefore(range, nowMs),
  days: null,
  fellBack: false,
});

/** Null when the URL says nothing. */
export function readPeriod(params: Params, { zone, nowMs }: Clock): Period | null {
  const { from, to, period } = params;
  if (isDay(from) && isDay(to)) return ofDays(readDayRange(params, zone, toNs(nowMs)));
  // Instants, or one end alone, as another page's address has them. What is neither goes on as it is, and the API refuses it.
  if (from !== undefined || to !== undefined)
    return ofRange("custom", { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, nowMs);
  if (!isPeriod(period)) return null;
  if (period === "all") return ofRange("all", {}, nowMs);
  if (period !== "24h") return ofDays(readDayRange({ period }, zone, toNs(nowMs)));
  const start = nowMs - DAY_MS;
  return ofRange("24h", { from: new Date(start - (start % 60_000)).toISOString() }, nowMs);
}

export async function resolvePeriod(
  params: Params,
  clock: Clock,
  holdsSpend: (range: Range) => Promise<boolean>,
): Promise<Period> {
  const chosen = readPeriod(params, clock);
  if (chosen !== null) return chosen;
  const complete = readDayRange({}, clock.zone, toNs(clock.nowMs));
  for (const days of [complete, reachToday(complete, toNs(clock.nowMs))]) {
    const period = ofDays(days);
    if (await holdsSpend(period.range)) return period;
  }
  return { ...ofRange("all", {}, clock.nowMs), fellBack: true };
}

const toNs = (ms: number): bigint => BigInt(ms) * 1_000_000n;

/** As long before it; null for one without a beginning. */
export function rangeBefore({ from, to }: Range, nowMs: number): Range | null {
  if (from === undefined) return null;
  const startMs = Date.parse(from);
  const endMs = to === undefined ? nowMs : Date.parse(to);
  if (Number.isNaN(startMs + endMs)) return null;
  return { from: new Date(2 * startMs - endMs).toISOString(), to: new Date(startMs).toISOString() };
}
