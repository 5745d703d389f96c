/** Seats and limits as text for a terminal: cash, its used and idle share, and list value, each under its own name. */
import { formatTable } from "../report.ts";
import { toCents } from "./describe-figures.ts";
import type { LimitSummary, SeatMonth } from "./read-seats.ts";

const HINT =
  "If a seat pays for this, say which, so that cash, its idle share and list value stand apart:\n  npx centspan commitments seat --workspace WORKSPACE --provider anthropic --plan 'Max 20x' --per-month 200";

export function formatSeats(seats: readonly SeatMonth[], limits: readonly LimitSummary[], workspace: string): string {
  const rows = seats.map(({ name, period, paidUsd, usedUsd, unusedUsd, listUsd }) => [
    name,
    period,
    ...[paidUsd, usedUsd, unusedUsd, listUsd].map(toCents),
  ]);
  return [
    ...(rows.length === 0
      ? [HINT.replace("WORKSPACE", workspace)]
      : [
          "Seats: what was paid, and the list value of what they covered, which is no saving",
          formatTable([["plan", "month", "paid USD", "of it used", "of it idle", "list value USD"], ...rows], 2),
        ]),
    ...limits.map(
      ({ format, window, windows, medianPercent, reached }) =>
        `Limit windows of ${window} in the logs of ${format}: ${windows}, the median used to ${medianPercent.toFixed(0)}%, ${reached} reached their limit`,
    ),
  ].join("\n");
}
