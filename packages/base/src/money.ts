/**
 * Exact money. Amounts are decimals end to end: `Big` in memory, plain strings on the wire, Decimal(38,12) at rest.
 * Must not: take or return a JavaScript number for an amount.
 * Invariant: nothing rounds except the three functions whose names say so, and they round half to even.
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

/** As `parseDecimal`, and with an exponent, as JSON and spreadsheets write numbers; null for what is no number. */
export function parseNumeric(text: string): Decimal | null {
  return /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text) ? new Big(text) : null;
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

export const sumDecimals = (amounts: readonly Decimal[]): Decimal =>
  amounts.length < MANY ? sumInTurn(amounts) : sumByColumns(amounts);

/** From here on what columns take is less than what amounts in between would. */
const MANY = 50;

function sumInTurn(amounts: readonly Decimal[]): Decimal {
  let total = ZERO;
  for (const amount of amounts) total = total.plus(amount);
  return total;
}

/** Digits on either side of the point; of amounts, half of those before it, so that there is room for what is carried. */
const COLUMNS = 64;
const TOP = new Big(`1e${COLUMNS}`);

/** Digit by digit, as on paper, without an amount in between. `columns[COLUMNS + n]` are units of 10ⁿ. */
function sumByColumns(amounts: readonly Decimal[]): Decimal {
  const columns: number[] = Array(2 * COLUMNS).fill(0);
  const others: Decimal[] = [];
  for (const amount of amounts) {
    const { s: sign, e: exponent, c: digits } = amount;
    let place = COLUMNS + exponent;
    if (place >= 1.5 * COLUMNS || place < digits.length) others.push(amount);
    else for (const digit of digits) columns[place] = (columns[place--] ?? 0) + sign * digit;
  }
  let text = "";
  let carried = 0;
  for (const column of columns) {
    const units = column + carried;
    carried = Math.floor(units / 10);
    text = `${units - 10 * carried}${text}`;
  }
  // Below zero 1 is owed in the end, and the digits are what is left of it.
  const sum = new Big(`${text.slice(0, COLUMNS)}.${text.slice(COLUMNS)}`);
  return sumInTurn([carried < 0 ? sum.minus(TOP) : sum, ...others]);
}

/** Quantises a charge line to the 12 decimals of Decimal(38,12), half to even. */
export function quantiseLine(amount: Decimal): Decimal {
  return amount.round(12, 2);
}

/** A displayed ratio of two amounts: 10 decimals, half to even; null when there is nothing to divide by. */
export function ratio(numerator: Decimal, denominator: Decimal): Decimal | null {
  return denominator.eq(ZERO) ? null : numerator.div(denominator).round(10, 2);
}

/**
 * Amounts with so many decimals that add up to their exact sum, which is rounded once: each is cut, and the units that are
 * then missing go to those that lost most by it, of equals to the earlier (largest remainder).
 */
export function roundToSum(amounts: readonly Decimal[], decimals: number): Decimal[] {
  const unit = new Big(`1e-${decimals}`);
  const cut = amounts.map((amount) => {
    const towardsZero = amount.round(decimals, 0);
    return towardsZero.gt(amount) ? towardsZero.minus(unit) : towardsZero;
  });
  const missing = sumDecimals(amounts).round(decimals, 2).minus(sumDecimals(cut)).div(unit);
  const lost = amounts.map((amount, index) => amount.minus(cut[index] ?? ZERO));
  const mostFirst = [...lost.keys()].sort((a, b) => (lost[b] ?? ZERO).cmp(lost[a] ?? ZERO) || a - b);
  const raised = new Set(mostFirst.slice(0, Number(missing.toFixed())));
  return cut.map((amount, index) => (raised.has(index) ? amount.plus(unit) : amount));
}
