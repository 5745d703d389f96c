/** Values as emitters write them: integers, doubles, text. What is no such value is NaN or null, never a default. */
import { type Decimal, parseDecimal, parseInstant } from "@centspan/base";

/** A whole number of tokens; NaN for what is none. */
export function parseCount(text: string): number {
  if (!/^-?\d+(\.0*)?$/.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

/** As many digits before the point as an amount of a call may have: a million millions. */
const MOST_DIGITS = 12;

/** Amounts arrive as doubles, whose text may have an exponent; anything else that is no plain decimal, or absurd, is no claim. */
export function parseAmount(text: string): Decimal | null {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (!match) return null;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = point <= 0 ? 1 : point;
  if (at > MOST_DIGITS) return null;
  return parseDecimal(padded.length > at ? `${padded.slice(0, at)}.${padded.slice(at)}` : padded);
}

/** No request takes eleven days to its first token: so many "seconds" are the nanoseconds of another release. */
const FEWEST_NANOSECONDS = 1_000_000;

/** A latency in milliseconds; an instant is counted from the start of the span. */
export function parseLatencyMs(text: string, unit: "ms" | "s" | "instant", startedAtNs: bigint | null): number | null {
  if (unit === "instant") {
    const at = parseInstant(text);
    return at === null || startedAtNs === null || at < startedAtNs ? null : Number(at - startedAtNs) / 1e6;
  }
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || value < 0) return null;
  // Through whole nanoseconds, so that 0.412 s is 412 ms and not a little less.
  const ns = unit === "ms" ? value * 1e6 : value >= FEWEST_NANOSECONDS ? value : value * 1e9;
  return Math.round(ns) / 1e6;
}
