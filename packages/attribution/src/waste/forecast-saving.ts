/** What a fix saves in a month if days go on as they were. Bounds are statements about uncertainty, and so floats. */
import { countToDecimal, type Decimal, formatDecimal, parseDecimal, quantiseLine } from "@centspan/base";

const MONTH_DAYS = parseDecimal("30.4375");
const LEAST_DAYS = 7;
/** Of a normal distribution, both sides. */
const Z_95 = 1.959964;

export type Saving = {
  monthUsd: Decimal;
  /** At 95%; null where fewer than seven days are known. */
  interval: { lowUsd: Decimal; highUsd: Decimal } | null;
};

/** `dailyUsd` are those of the days on which there was anything, of `days` in all. */
export function forecastSaving(dailyUsd: readonly Decimal[], costUsd: Decimal, days: number): Saving {
  const monthUsd = quantiseLine(costUsd.times(MONTH_DAYS).div(countToDecimal(days)));
  if (dailyUsd.length < LEAST_DAYS) return { monthUsd, interval: null };
  const mean = Number(formatDecimal(costUsd)) / days;
  const known = dailyUsd.map((each) => Number(formatDecimal(each)));
  const idle = Math.max(0, days - known.length);
  const squares = known.reduce((sum, each) => sum + (each - mean) ** 2, idle * mean ** 2);
  const month = Number(formatDecimal(MONTH_DAYS));
  const half = Z_95 * Math.sqrt(squares / (days - 1) / days) * month;
  return {
    monthUsd,
    interval: { lowUsd: toUsd(Math.max(0, mean * month - half)), highUsd: toUsd(mean * month + half) },
  };
}

const toUsd = (value: number): Decimal => parseDecimal(value.toFixed(10));
