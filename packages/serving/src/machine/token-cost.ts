/** What tokens cost on accelerators paid by the hour. Exact: decimals in, decimals out. */
import { countToDecimal, type Decimal, parseDecimal } from "@centspan/base";

const NS_PER_HOUR = parseDecimal("3600000000000");
const MILLION = parseDecimal("1000000");

export type AcceleratorTime = { hourUsd: Decimal; accelerators: number; durationNs: number };

export const costOfTime = ({ hourUsd, accelerators, durationNs }: AcceleratorTime): Decimal =>
  hourUsd.times(countToDecimal(accelerators)).times(countToDecimal(durationNs)).div(NS_PER_HOUR);

/** Rounded to the 12 decimals of a charge line; null when no token was made. */
export function costPerMillionTokens(time: AcceleratorTime, tokens: number): Decimal | null {
  if (tokens === 0) return null;
  return costOfTime(time).times(MILLION).div(countToDecimal(tokens)).round(12, 2);
}
