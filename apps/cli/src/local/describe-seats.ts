/** Seats and limits as text for a terminal: cash, its used and idle share, and list value, each under its own name. */
import type { SeatRow } from "@centspan/model";
import { formatCount as count } from "@centspan/ui/format";
import { formatTable } from "../report.ts";
import { toCents } from "./describe-figures.ts";
import type { LimitSummary } from "./summarise-limits.ts";

const HINT =
  "If a seat pays for this, say which, so that cash, its idle share and list value stand apart:\n  npx centspan commitments seat --workspace WORKSPACE --provider anthropic --plan 'Max 20x' --per-month 200";

/** Each figure under its own name: none is a part, or a saving, of another. */
export function formatSeatTable(seats: readonly SeatRow[]): string {
  const rows = seats.map((seat) => [
    seat.seats === 1 ? seat.plan : `${seat.plan} × ${seat.seats}`,
    seat.period,
    ...[seat.paidUsd, seat.allocatedUsd, seat.unassignedUsd, seat.listUsd].map(toCents),
    seat.idleShare === null
      ? "–"
      : `${(Number(seat.idleShare) * 100).toFixed(0)}% of ${count(seat.seatDays)} days (${toCents(seat.idleUsd)} USD)`,
  ]);
  return [
    "Seats: cash, list value of what they covered (no saving), and idle time, each apart",
    formatTable([["plan", "month", "paid USD", "allocated", "nobody's", "list value USD", "idle so far"], ...rows], 2),
    "Allocated (cash to usage), derived (list value), estimated (a day is idle if the seat's key used nothing on it).",
  ].join("\n");
}

export const formatSeats = (seats: readonly SeatRow[], limits: readonly LimitSummary[], workspace: string): string =>
  [
    seats.length === 0 ? HINT.replace("WORKSPACE", workspace) : formatSeatTable(seats),
    ...limits.map(
      ({ format, window, windows, medianPercent, idlePercent, reached }) =>
        `Limit windows of ${window} in the logs of ${format}: ${windows} opened, the median used to ${medianPercent.toFixed(0)}%, ${idlePercent.toFixed(0)}% of their capacity idle, ${reached} reached their limit`,
    ),
  ].join("\n");
