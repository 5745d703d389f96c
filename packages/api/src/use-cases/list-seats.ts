/** What seats come to, month by month: cash, list value and idle share, three figures that don't add up and are not meant to. */
import {
  countToDecimal,
  type Decimal,
  dayOf,
  formatDecimal,
  quantiseLine,
  ratio,
  sumDecimals,
  ZERO,
} from "@centspan/base";
import { type Commitment, findBillingPeriod, nextMonth, type SeatRow, seatsAnswerSchema } from "@centspan/model";
import { readSeatUse } from "@centspan/pricing";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { readCommitmentBooks, spreadPeriod } from "./spread-period.ts";

type Seat = Commitment & { kind: "seats" };
const MOST_MONTHS = 12;
const METHOD =
  "Cash is allocated to usage in proportion to its list value, whole for a seat of which anything was used. A seat-day is idle " +
  "where its holder (a key) used nothing on that day of the workspace's calendar; what a plan's limits would have let through is not known.";

export const listSeats = defineRoute({
  id: "listSeats",
  method: "GET",
  path: "/seats",
  summary: "Seats by month, the newest first: cash, what of it is allocated, list value and idle share, each apart",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: seatsAnswerSchema,
  async run({ deps, caller }) {
    const [books, timeZone] = await Promise.all([
      readCommitmentBooks({ deps, caller }),
      deps.control.readTimeZone(caller.workspace),
    ]);
    const seats = books.commitments.flatMap((one) => (one.kind === "seats" ? [one] : []));
    const today = dayOf(timeZone, deps.clock.nowNs());
    const data: SeatRow[] = [];
    for (const month of listMonths(seats, today)) {
      const period = findBillingPeriod(timeZone, month);
      const spread = await spreadPeriod({ deps, caller }, period, books);
      for (const seat of seats) {
        const lines = spread.lines.filter(({ commitment }) => commitment === seat.id);
        const covered = spread.covered.filter(({ commitment }) => commitment.id === seat.id);
        if (lines.length === 0) continue;
        const use = readSeatUse(
          seat,
          covered.map(({ charge }) => charge),
          period,
          today,
        );
        const sumOf = (own: typeof lines): Decimal => sumDecimals(own.map(({ costUsd }) => costUsd));
        const paidUsd = sumOf(lines);
        data.push({
          ...{ commitment: seat.id, plan: seat.plan, provider: seat.provider, seats: seat.seats, period: month },
          paidUsd: formatDecimal(paidUsd),
          allocatedUsd: formatDecimal(sumOf(lines.filter(({ status }) => status === "used"))),
          unassignedUsd: formatDecimal(sumOf(lines.filter(({ status }) => status === "unused"))),
          listUsd: formatDecimal(sumDecimals(lines.map(({ payPerTokenUsd }) => payPerTokenUsd))),
          ...describeUse(use, paidUsd),
        });
      }
    }
    return { data, method: METHOD, nextCursor: null };
  },
});

function describeUse(
  { days, seatDays, usedDays, elapsedDays, holders }: ReturnType<typeof readSeatUse>,
  paidUsd: Decimal,
) {
  const idleShare = ratio(countToDecimal(seatDays - usedDays), countToDecimal(seatDays));
  const elapsed = ratio(countToDecimal(elapsedDays), countToDecimal(days));
  const idleUsd = idleShare && elapsed ? quantiseLine(paidUsd.times(elapsed).times(idleShare)) : ZERO;
  return {
    ...{ holders, seatDays, usedDays },
    idleShare: idleShare && formatDecimal(idleShare),
    idleUsd: formatDecimal(idleUsd),
    provenance: { cash: "allocated", list: "derived", idle: "estimated" } as const,
  };
}

/** In which any of them holds, until now. */
function listMonths(seats: readonly Seat[], today: string): string[] {
  const [first] = seats.map(({ from }) => from.slice(0, 7)).sort();
  const months: string[] = [];
  for (let month = first; month !== undefined && month <= today.slice(0, 7); month = nextMonth(month))
    months.push(month);
  return months.slice(-MOST_MONTHS).reverse();
}
