/** What to change first: each change with what it would save a month, on one shared axis, and the runs that prove it. */
import type { WasteFixRow } from "@centspan/model";
import { addDecimals, isZero, toGeometry } from "../format/decimal-text.ts";
import { columnDecimals, formatInterval, formatMoney } from "../format/format-money.ts";
import { formatSeconds } from "../format/format-quantity.ts";

export type WasteFix = Omit<WasteFixRow, "savingPerMonthUsd" | "interval" | "secondsPerMonth"> & {
  saving: string;
  interval: string | null;
  /** Null where no time is lost. */
  time: string | null;
  isTimeOnly: boolean;
  barPct: number;
  /** Ends of the interval on the same axis. */
  reach: { lowPct: number; highPct: number } | null;
};

export type WasteFixes = { fixes: WasteFix[]; saving: string };

export function prepareFixes(rows: readonly WasteFixRow[]): WasteFixes {
  const decimals = columnDecimals(rows.map(({ savingPerMonthUsd }) => savingPerMonthUsd));
  const ends = rows.map(({ savingPerMonthUsd, interval }) => toGeometry(interval?.highUsd ?? savingPerMonthUsd));
  const most = Math.max(0, ...ends);
  const place = (usd: string): number => (most === 0 ? 0 : (Math.max(0, toGeometry(usd)) / most) * 100);
  const fixes = rows.map(({ savingPerMonthUsd, interval, secondsPerMonth, ...row }) => ({
    ...row,
    saving: formatMoney(savingPerMonthUsd, decimals),
    interval: interval === null ? null : formatInterval(interval.lowUsd, interval.highUsd, decimals),
    time: secondsPerMonth === 0 ? null : formatSeconds(secondsPerMonth),
    isTimeOnly: isZero(savingPerMonthUsd),
    barPct: place(savingPerMonthUsd),
    reach: interval === null ? null : { lowPct: place(interval.lowUsd), highPct: place(interval.highUsd) },
  }));
  return { fixes, saving: formatMoney(addDecimals(rows.map((row) => row.savingPerMonthUsd)), decimals) };
}
