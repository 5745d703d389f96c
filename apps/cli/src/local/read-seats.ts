/** What seats came to, month by month: paid, used and idle as they are allocated, and the list value of what they covered beside it. */
import type { ApiClient } from "@centspan/api";
import { formatDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import type { LimitWindow } from "./seen-work.ts";

export type SeatMonth = {
  /** Of the commitment. */
  id: string;
  name: string;
  period: string;
  paidUsd: string;
  usedUsd: string;
  unusedUsd: string;
  /** What the covered usage would have cost by the token. */
  listUsd: string;
};

export async function readSeats(api: ApiClient): Promise<SeatMonth[]> {
  const seats = (await api.commitments()).data.filter(({ kind }) => kind === "seats");
  if (seats.length === 0) return [];
  const { data: periods } = await api.periods();
  return periods.flatMap(({ period, commitments }) =>
    seats.flatMap((seat): SeatMonth[] => {
      const lines = commitments.filter(({ commitment }) => commitment === seat.id);
      if (lines.length === 0) return [];
      const sum = (of: readonly { costUsd: string }[]): string =>
        formatDecimal(sumDecimals(of.map(({ costUsd }) => parseDecimal(costUsd))));
      return [
        {
          id: seat.id,
          name: seat.kind === "seats" ? seat.plan : seat.id,
          period,
          paidUsd: sum(lines),
          usedUsd: sum(lines.filter(({ status }) => status === "used")),
          unusedUsd: sum(lines.filter(({ status }) => status === "unused")),
          listUsd: sum(lines.map(({ payPerTokenUsd }) => ({ costUsd: payPerTokenUsd }))),
        },
      ];
    }),
  );
}

export type LimitSummary = { format: string; window: string; windows: number; medianPercent: number; reached: number };

/** How full the windows of a plan's limits were, of those that histories tell. */
export function summariseLimits(limits: Readonly<Record<string, LimitWindow>>): LimitSummary[] {
  const groups = new Map<string, LimitWindow[]>();
  for (const limit of Object.values(limits)) {
    const name = `${limit.format} ${limit.window} ${limit.windowMinutes}`;
    groups.set(name, [...(groups.get(name) ?? []), limit]);
  }
  return [...groups.values()].map((windows) => {
    const used = windows.map(({ usedPercent }) => usedPercent).sort((a, b) => a - b);
    const [first] = windows;
    return {
      format: first?.format ?? "",
      window: nameWindow(first),
      windows: windows.length,
      medianPercent: used[Math.floor(used.length / 2)] ?? 0,
      reached: used.filter((percent) => percent >= 100).length,
    };
  });
}

function nameWindow(limit: LimitWindow | undefined): string {
  if (limit === undefined) return "";
  const hours = limit.windowMinutes / 60;
  const length = hours >= 48 ? `${(hours / 24).toFixed(0)} days` : `${hours.toFixed(0)} h`;
  return limit.windowMinutes > 0 ? length : limit.window;
}
