/**
 * Counts, shares and durations as text. Pure; integers stay integers (nanoseconds are bigint).
 * Units are SI symbols, the same in every language.
 */
import { divideDecimals, isNegative, isZero, roundDecimal } from "./decimal-text.ts";

export function formatCount(count: number | bigint): string {
  const text = count.toString();
  const grouped = text.replace("-", "").replace(/\B(?=(\d{3})+$)/g, ",");
  return text.startsWith("-") ? `−${grouped}` : grouped;
}

/** For axes only: "0", "850", "20K", "1.2M". */
export function formatAxisCount(count: number): string {
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toPrecision(3))}M`;
  if (count >= 1_000) return `${Number((count / 1_000).toPrecision(3))}K`;
  return `${Number(count.toPrecision(3))}`;
}

const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** "512 B", "1.5 KiB", "2.0 GiB": one decimal, rounded before the unit is chosen. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1023.95 && unit < BYTE_UNITS.length - 1; unit += 1) value /= 1024;
  return `${value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** "89.2%" from the ratio "0.8919…". Nothing is rounded up to 100% or down to 0% that isn't. */
export function formatRatio(ratioText: string): string {
  const percent = roundDecimal(shift2(ratioText), 1);
  const exact = roundDecimal(shift2(ratioText), 12);
  if (percent === "100.0" && exact !== "100.000000000000") return ">99.9%";
  if (percent === "0.0" && exact !== "0.000000000000") return "<0.1%";
  return `${percent}%`;
}

const shift2 = (ratioText: string): string => divideDecimals(ratioText, "0.01", 12) ?? "0";

/** part ÷ whole as a percentage; null when the whole is zero. */
export function formatShare(part: string | number, whole: string | number): string | null {
  const ratio = divideDecimals(part.toString(), whole.toString(), 14);
  return ratio === null ? null : formatRatio(ratio);
}

/** "+9.9%", "−2.1%": a difference as a share of what was before; null where that was nothing. */
export function formatGrowth(difference: string, before: string): string | null {
  const share = formatShare(difference.replace("-", ""), before);
  if (share === null || isZero(difference)) return share;
  return `${isNegative(difference) ? "−" : "+"}${share}`;
}

/** "+2.9", "−4.4" of a difference of shares: points of a percentage. */
export function formatPoints(share: string): string {
  const points = roundDecimal(shift2(share), 1);
  return isNegative(points) ? points.replace("-", "−") : `+${points}`;
}

const MS = 1_000_000n;
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

const divideRounded = (value: bigint, unit: bigint): bigint => (value + unit / 2n) / unit;

function oneDecimal(value: bigint, unit: bigint): string {
  const tenths = divideRounded(value * 10n, unit);
  return `${tenths / 10n}.${tenths % 10n}`;
}

/** "0 ns", "340 µs", "4.7 ms", "160 ms", "4.7 s", "21 min 10 s", "2 h 05 min". A negative duration has no text: callers flag it. */
export function formatDuration(durationNs: bigint): string {
  if (durationNs < 0n) throw new RangeError(`negative duration: ${durationNs}`);
  if (durationNs < 1_000n) return `${durationNs} ns`;
  if (durationNs < 999_500n) return `${divideRounded(durationNs, 1_000n)} µs`;
  if (durationNs < 9_950_000n) return `${oneDecimal(durationNs, MS)} ms`;
  if (durationNs < 999_500_000n) return `${divideRounded(durationNs, MS)} ms`;
  if (durationNs < 59_950_000_000n) return `${oneDecimal(durationNs, SECOND)} s`;
  const seconds = divideRounded(durationNs, SECOND);
  if (seconds < 3_600n) return `${seconds / 60n} min ${seconds % 60n} s`;
  const minutes = divideRounded(durationNs, MINUTE);
  return `${minutes / 60n} h ${(minutes % 60n).toString().padStart(2, "0")} min`;
}

/** The same of seconds that were measured or counterfactual. */
export const formatSeconds = (seconds: number): string => formatDuration(BigInt(Math.round(seconds * 1e9)));

/** How long ago, in its largest unit alone: "0 s", "59 s", "4 min", "23 h", "12 d". What is ahead by a clock's error is now. */
export function formatAge(ageNs: bigint): string {
  const seconds = ageNs < 0n ? 0n : ageNs / SECOND;
  if (seconds < 60n) return `${seconds} s`;
  if (seconds < 3_600n) return `${seconds / 60n} min`;
  return seconds < 86_400n ? `${seconds / 3_600n} h` : `${seconds / 86_400n} d`;
}

/** Offset on a run's axis: "0", "350 ms", "12.5 s", "12:48", "1:02:05". Exact multiples keep no decimals. */
export function formatOffset(offsetNs: bigint): string {
  if (offsetNs === 0n) return "0";
  if (offsetNs < MS) return `${trimDecimals(offsetNs, 1_000n)} µs`;
  if (offsetNs < SECOND) return `${trimDecimals(offsetNs, MS)} ms`;
  if (offsetNs < 2n * MINUTE) return `${trimDecimals(offsetNs, SECOND)} s`;
  const seconds = divideRounded(offsetNs, SECOND);
  const tail = (seconds % 60n).toString().padStart(2, "0");
  if (offsetNs < HOUR) return `${seconds / 60n}:${tail}`;
  return `${seconds / 3_600n}:${((seconds / 60n) % 60n).toString().padStart(2, "0")}:${tail}`;
}

function trimDecimals(value: bigint, unit: bigint): string {
  const hundredths = divideRounded(value * 100n, unit);
  return `${Number(hundredths) / 100}`;
}
