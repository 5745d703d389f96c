/** Months of the report: the last that is over unless the address names one. Pure. */
import { CentspanError, dayOf } from "@centspan/base";
import { PERIOD_PATTERN } from "@centspan/model";
import type { Clock } from "../page/period.ts";

const SHOWN = 6;

const monthsBefore = (month: string, count: number): string => {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 - count)).toISOString().slice(0, 7);
};
const monthOf = ({ zone, nowMs }: Clock): string => dayOf(zone, BigInt(nowMs) * 1_000_000n).slice(0, 7);

/** The newest first, with the one that is not over. */
export const listMonths = (clock: Clock): string[] =>
  Array.from({ length: SHOWN }, (_, count) => monthsBefore(monthOf(clock), count));

export function readMonth(named: string | undefined, clock: Clock): string {
  if (named === undefined) return monthsBefore(monthOf(clock), 1);
  if (PERIOD_PATTERN.test(named)) return named;
  throw new CentspanError("invalid_request", "month: is not a month such as 2026-10", { field: "month" });
}
