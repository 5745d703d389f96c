/**
 * Exact money. Amounts are decimals end to end: `Big` in memory, plain strings on the wire, Decimal(38,12) at rest.
 * Must not: take or return a JavaScript number for an amount.
 * Invariant: nothing rounds except the two functions whose names say so, and they round half to even.
 */
import { Big as createBig } from "big.js";

const Big = createBig();
Big.strict = true;
Big.DP = 30;
Big.RM = 2;
Big.PE = 1_000_000;
Big.NE = -1_000_000;

/** An exact decimal amount or price. */
export type Decimal = InstanceType<typeof Big>;

export const ZERO: Decimal = new Big("0");

/** Parses a plain decimal string such as "0.0000125"; exponent notation, blanks and NaN are errors. */
export function parseDecimal(text: string): Decimal {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new RangeError(`not a plain decimal: ${JSON.stringify(text)}`);
  return new Big(text);
}

/** A whole count as an exact decimal; refuses fractions and unsafe integers. */
export function countToDecimal(count: number | bigint): Decimal {
  if (typeof count === "number" && !Number.isSafeInteger(count)) throw new RangeError(`not a safe integer: ${count}`);
  return new Big(count.toString());
}

/** Plain decimal string without trailing zeros: the wire form of an amount. */
export function formatDecimal(amount: Decimal): string {
  return amount.eq(ZERO) ? "0" : amount.toFixed();
}

export function sumDecimals(amounts: Iterable<Decimal>): Decimal {
  let total = ZERO;
  for (const amount of amounts) total = total.plus(amount);
  return total;
}

/** Quantises a charge line to the 12 decimals of Decimal(38,12), half to even. */
export function quantiseLine(amount: Decimal): Decimal {
  return amount.round(12, 2);
}

/** A displayed ratio of two amounts: 10 decimals, half to even; null when there is nothing to divide by. */
export function ratio(numerator: Decimal, denominator: Decimal): Decimal | null {
  return denominator.eq(ZERO) ? null : numerator.div(denominator).round(10, 2);
}
