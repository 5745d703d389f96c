/**
 * The period of a page: from the URL, else the last 30 days, else (when those hold nothing) all time.
 * Pure but for the one question it asks: whether a range holds spend.
 */
import type { Params } from "./params.ts";

export const PERIODS = ["24h", "7d", "30d", "all"] as const;
export type PeriodId = (typeof PERIODS)[number] | "custom";

/** `from` inclusive, `to` exclusive, as the Trace API takes them. */
export type Range = { from?: string; to?: string };
export type Period = { id: PeriodId; range: Range; fellBack: boolean };

const HOUR_MS = 3_600_000;
const LENGTH_MS: Record<Exclude<(typeof PERIODS)[number], "all">, number> = {
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
};

const isPeriod = (text: string | undefined): text is (typeof PERIODS)[number] => PERIODS.some((id) => id === text);

const startOf = (nowMs: number, id: keyof typeof LENGTH_MS): string => {
  const start = nowMs - LENGTH_MS[id];
  return new Date(start - (start % 60_000)).toISOString();
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The day after, since a person means the last day included. What is no day goes on as it is, and the API refuses it. */
export function endOfDay(day: string): string {
  const ms = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? day : new Date(ms + 24 * HOUR_MS).toISOString().slice(0, 10);
}

function readCustom({ from, to }: Params): Period | null {
  if (from === undefined && to === undefined) return null;
  const range: Range = {};
  if (from !== undefined) range.from = from;
  if (to !== undefined) range.to = endOfDay(to);
  return { id: "custom", range, fellBack: false };
}

/** Null when the URL says nothing. */
export function readPeriod(params: Params, nowMs: number): Period | null {
  const custom = readCustom(params);
  if (custom !== null) return custom;
  const { period } = params;
  if (!isPeriod(period)) return null;
  return { id: period, range: period === "all" ? {} : { from: startOf(nowMs, period) }, fellBack: false };
}

export async function resolvePeriod(
  params: Params,
  nowMs: number,
  holdsSpend: (range: Range) => Promise<boolean>,
): Promise<Period> {
  const chosen = readPeriod(params, nowMs);
  if (chosen !== null) return chosen;
  const range = { from: startOf(nowMs, "30d") };
  if (await holdsSpend(range)) return { id: "30d", range, fellBack: false };
  return { id: "all", range: {}, fellBack: true };
}

/** As long before it; null for one without a beginning. */
export function rangeBefore({ from, to }: Range, nowMs: number): Range | null {
  if (from === undefined) return null;
  const startMs = Date.parse(from);
  const endMs = to === undefined ? nowMs : Date.parse(to);
  return { from: new Date(2 * startMs - endMs).toISOString(), to: new Date(startMs).toISOString() };
}
