/**
 * What is paid for a commitment in a period, in USD at the exchange rate of its first day there. A month that it holds for
 * in part costs the part of its days; hours are those of the zone's days, so that one of them may have 23 or 25.
 */
import { assert, countToDecimal, type Decimal, parseDecimal, quantiseLine, startOfDayNs, ZERO } from "@centspan/base";
import type { BillingPeriod, Commitment, PriceBook } from "@centspan/model";
import { findRate, openBook } from "../price-call.ts";
import { firstDayAfter, firstDayOf } from "./cover-usage.ts";

/** The days of the period in which it holds; null where there are none. `to` is exclusive. */
export function termIn(period: BillingPeriod, { from, to }: Commitment): { from: string; to: string } | null {
  const [first, after] = [firstDayOf(period), firstDayAfter(period)];
  const term = { from: from > first ? from : first, to: to !== undefined && to < after ? to : after };
  return term.from < term.to ? term : null;
}

export function readFee(commitment: Commitment, period: BillingPeriod, book: PriceBook): Decimal {
  const term = termIn(period, commitment);
  if (term === null) return ZERO;
  const fee = readTerms(commitment, period, term);
  const { currency = "USD" } = commitment;
  if (currency === "USD") return quantiseLine(fee);
  const rate = findRate(currency, startOfDayNs(period.timeZone, term.from), openBook(book));
  assert(rate !== undefined, `an exchange rate of ${currency}, as ${commitment.id} was checked`);
  return quantiseLine(fee.times(parseDecimal(rate.usd)));
}

type Term = { from: string; to: string };

function readTerms(commitment: Commitment, period: BillingPeriod, term: Term): Decimal {
  switch (commitment.kind) {
    case "credits":
      return commitment.from === term.from ? parseDecimal(commitment.amount) : ZERO;
    case "seats":
      return countToDecimal(commitment.seats).times(parseDecimal(commitment.perSeatMonth)).times(months(period, term));
    case "gpus":
      return countToDecimal(commitment.gpus).times(parseDecimal(commitment.perGpuHour)).times(hours(period, term));
    case "provisioned": {
      const lasts = (commitment.per === "hour" ? hours : months)(period, term);
      return countToDecimal(commitment.units).times(parseDecimal(commitment.perUnit)).times(lasts);
    }
  }
}

const countDays = ({ from, to }: Term): Decimal => countToDecimal((Date.parse(to) - Date.parse(from)) / 86_400_000);

const months = (period: BillingPeriod, term: Term): Decimal =>
  countDays(term).div(countDays({ from: firstDayOf(period), to: firstDayAfter(period) }));

const HOUR_MINUTES = parseDecimal("60");
const hours = (period: BillingPeriod, term: Term): Decimal => countMinutes(period, term).div(HOUR_MINUTES);

/** Days begin on a minute. */
export const countMinutes = ({ timeZone }: BillingPeriod, { from, to }: Term): Decimal =>
  countToDecimal((startOfDayNs(timeZone, to) - startOfDayNs(timeZone, from)) / 60_000_000_000n);
