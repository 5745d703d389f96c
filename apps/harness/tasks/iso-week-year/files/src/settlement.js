import { DAY_MS, isoWeek, weekStart } from "./iso-week.js";
import { formatWeek, parseWeek } from "./labels.js";

/**
 * Groups payouts by week, oldest week first.
 * Each payout is `{ id, paidAt: ISO string, amountCents: bigint }`.
 */
export function settleByWeek(payouts) {
  const weeks = new Map();
  for (const payout of payouts) {
    const label = formatWeek(isoWeek(new Date(payout.paidAt)));
    const entry = weeks.get(label) ?? { label, count: 0, totalCents: 0n };
    entry.count += 1;
    entry.totalCents += payout.amountCents;
    weeks.set(label, entry);
  }
  return [...weeks.values()].sort((a, b) => (a.label < b.label ? -1 : 1));
}

/** The half-open range of a label, for the heading of a report page. */
export function weekRange(label) {
  const { year, week } = parseWeek(label);
  const from = weekStart(year, week);
  return { from, to: new Date(from.getTime() + 7 * DAY_MS) };
}
