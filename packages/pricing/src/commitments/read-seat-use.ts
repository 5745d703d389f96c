/**
 * How much of a seat was used, which its cash does not say: all of it is allocated to whatever was used, be it one call. Counted
 * in days of seats: a holder (a key) uses one seat on each day that it used anything.
 */
import type { BillingPeriod, Charge, Commitment } from "@centspan/model";
import { termIn } from "./read-fee.ts";

/** `days`: of the month in which it holds. `seatDays`: those that are over, or today, times seats; `usedDays` of them were used. */
export type SeatUse = { days: number; elapsedDays: number; seatDays: number; usedDays: number; holders: number };

/** `charges` are those that it covers; `today` is a day in the zone of the period. */
export function readSeatUse(
  commitment: Commitment & { kind: "seats" },
  charges: readonly Charge[],
  period: BillingPeriod,
  today: string,
): SeatUse {
  const term = termIn(period, commitment);
  const current = charges.filter(({ isCorrection, quantity }) => !isCorrection && quantity > 0);
  const holders = new Set(current.map(({ keyId }) => keyId)).size;
  if (term === null) return { days: 0, elapsedDays: 0, seatDays: 0, usedDays: 0, holders };
  const days = countDays(term.from, term.to);
  const elapsedDays = today < term.from ? 0 : Math.min(days, countDays(term.from, today) + 1);
  const holdersOfDay = new Map<string, Set<string>>();
  for (const { day, keyId } of current) holdersOfDay.set(day, (holdersOfDay.get(day) ?? new Set()).add(keyId));
  const usedDays = [...holdersOfDay.values()].reduce((sum, { size }) => sum + Math.min(size, commitment.seats), 0);
  return { days, elapsedDays, seatDays: elapsedDays * commitment.seats, usedDays, holders };
}

const countDays = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;
