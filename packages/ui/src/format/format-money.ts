/**
 * Money as text. Input is the exact decimal string of the Trace API.
 * Rules: true minus sign before the currency, thousands separated, never abbreviated in tables, never a false zero:
 * an amount that rounds to nothing is written "<$0.01".
 */
import { compareDecimals, isNegative, isZero, roundDecimal, shiftDecimal } from "./decimal-text.ts";

const MINUS = "−";

const groupThousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ",");

function writeUnsigned(rounded: string): string {
  const [whole = "0", fraction] = rounded.replace("-", "").split(".");
  return `$${groupThousands(whole)}${fraction === undefined ? "" : `.${fraction}`}`;
}

const smallestStep = (decimals: number): string => (decimals === 0 ? "$1" : `$0.${"1".padStart(decimals, "0")}`);

/** "$1,234.50", "−$3.00", "<$0.01". */
export function formatMoney(amountUsd: string, decimals: number): string {
  const rounded = roundDecimal(amountUsd, decimals);
  if (isZero(rounded) && !isZero(amountUsd)) {
    return isNegative(amountUsd) ? `>${MINUS}${smallestStep(decimals)}` : `<${smallestStep(decimals)}`;
  }
  return `${isNegative(rounded) ? MINUS : ""}${writeUnsigned(rounded)}`;
}

/** "+$412.68", "−$3.00": a difference, as an accountant reads it. One that rounds to nothing has no plus. */
export function formatDifference(amountUsd: string, decimals: number): string {
  const text = formatMoney(amountUsd, decimals);
  return isNegative(amountUsd) || isZero(roundDecimal(amountUsd, decimals)) ? text : `+${text}`;
}

/** The same without the currency, for the bounds of an interval whose point carries it. */
export const formatBareMoney = (amountUsd: string, decimals: number): string =>
  formatMoney(amountUsd, decimals).replace("$", "");

/** "(29.40–32.10)"; "≥ 29.40" where there is no upper bound, since then nothing can be enclosed. */
export function formatInterval(lowUsd: string | null, highUsd: string | null, decimals: number): string | null {
  if (lowUsd === null && highUsd === null) return null;
  if (highUsd === null) return `≥ ${formatBareMoney(lowUsd ?? "0", decimals)}`;
  if (lowUsd === null) return `≤ ${formatBareMoney(highUsd, decimals)}`;
  return `${formatBareMoney(lowUsd, decimals)}–${formatBareMoney(highUsd, decimals)}`;
}

const magnitude = (amountUsd: string): string => amountUsd.replace("-", "");

/** Whole dollars from $1,000, cents from $1, four decimals below, six where four would show almost nothing. */
export function headlineDecimals(amountUsd: string): number {
  const size = magnitude(amountUsd);
  if (isZero(size)) return 2;
  if (compareDecimals(size, "1000") >= 0) return 0;
  if (compareDecimals(size, "1") >= 0) return 2;
  return compareDecimals(size, "0.001") >= 0 ? 4 : 6;
}

/** One number of decimals for a column: cents, or four decimals where the largest amount is under $10. */
export function columnDecimals(amounts: readonly (string | null)[]): number {
  const sizes = amounts.filter((amount) => amount !== null).map(magnitude);
  const largest = sizes.reduce((max, size) => (compareDecimals(size, max) > 0 ? size : max), "0");
  return isZero(largest) || compareDecimals(largest, "10") >= 0 ? 2 : 4;
}

/** "$1.25" for a unit price of 0.00000125 a token: exact, at least cents. */
export function formatPricePerMillion(unitPriceUsd: string): string {
  const shifted = shiftDecimal(unitPriceUsd, 6);
  const trimmed = shifted.includes(".") ? shifted.replace(/0+$/, "") : shifted;
  const decimals = Math.max(2, trimmed.split(".")[1]?.length ?? 0);
  return formatMoney(shifted, decimals);
}

/** Axis labels may abbreviate: "$0", "$0.05", "$20", "$1.5K". Takes a float because axes are geometry. */
export function formatAxisMoney(value: number): string {
  if (value === 0) return "$0";
  if (value >= 1_000_000) return `$${trimFloat(value / 1_000_000)}M`;
  if (value >= 1_000) return `$${trimFloat(value / 1_000)}K`;
  return `$${trimFloat(value)}`;
}

function trimFloat(value: number): string {
  const text = Number(value.toPrecision(3)).toString();
  return text.includes("e") ? value.toFixed(12).replace(/0+$/, "") : text;
}
