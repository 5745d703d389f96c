/**
 * Intervals on one shared axis: a point with its whisker, a lower bound with an arrow, or nothing.
 * The axis starts at zero and ends where most rows do; what lies beyond is marked off the scale, never squeezed in.
 */
import type { OutcomeCostRow } from "@centspan/model";
import { toGeometry } from "../format/decimal-text.ts";
import { formatAxisMoney } from "../format/format-money.ts";
import { chooseValueTicks } from "../waterfall/choose-ticks.ts";

export type Whisker =
  | { kind: "point"; pointPct: number | null; lowPct: number; highPct: number; beyond: boolean }
  | { kind: "bound"; lowPct: number; beyond: boolean }
  | { kind: "none" };

export type MoneyAxis = { max: number; ticks: { leftPct: number; label: string }[] };

/** How many times the middle row's end an end may be and still set the scale. */
const OUTLIER_FACTOR = 4;

const endOf = ({ costPerPassUsd, interval }: OutcomeCostRow): number | null => {
  const end = interval?.highUsd ?? costPerPassUsd ?? interval?.lowUsd ?? null;
  return end === null ? null : toGeometry(end);
};

export function chooseMoneyAxis(rows: readonly OutcomeCostRow[]): MoneyAxis {
  const ends = rows.flatMap((row) => endOf(row) ?? []).sort((a, b) => a - b);
  const middle = ends[Math.floor((ends.length - 1) / 2)] ?? 0;
  const shown = ends.findLast((end) => end <= middle * OUTLIER_FACTOR) ?? 0;
  const ticks = chooseValueTicks(shown, 4);
  const max = ticks.at(-1) ?? 0;
  return {
    max,
    ticks: ticks.map((value) => ({ leftPct: max === 0 ? 0 : (value / max) * 100, label: formatAxisMoney(value) })),
  };
}

export function prepareWhisker({ costPerPassUsd, interval }: OutcomeCostRow, axis: MoneyAxis): Whisker {
  const place = (amountUsd: string): number => (axis.max === 0 ? 0 : (toGeometry(amountUsd) / axis.max) * 100);
  const clamp = (pct: number): number => Math.min(100, pct);
  if (costPerPassUsd === null) {
    const lowUsd = interval?.lowUsd ?? null;
    if (lowUsd === null) return { kind: "none" };
    return { kind: "bound", lowPct: clamp(place(lowUsd)), beyond: place(lowUsd) > 100 };
  }
  const point = place(costPerPassUsd);
  const high = place(interval?.highUsd ?? costPerPassUsd);
  return {
    kind: "point",
    // Beyond the axis a point would be read as the axis end; the arrow says it, and the figure is in the row.
    pointPct: point > 100 ? null : point,
    lowPct: clamp(place(interval?.lowUsd ?? costPerPassUsd)),
    highPct: clamp(high),
    beyond: high > 100,
  };
}
