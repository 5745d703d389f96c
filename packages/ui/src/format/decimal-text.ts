/**
 * Exact arithmetic on decimal strings, for display: the amounts of the Trace API never pass through a float.
 * Must not: price or allocate anything (that is done before the API answers), import node or big.js (it runs in browsers).
 * Invariant: only `roundDecimal` and `divideDecimals` round, half to even; `toGeometry` is for pixels alone.
 */

type Scaled = { units: bigint; scale: number };

function parseScaled(text: string): Scaled {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new RangeError(`not a plain decimal: ${JSON.stringify(text)}`);
  const [, sign = "", whole = "0", fraction = ""] = match;
  const units = BigInt(whole + fraction);
  return { units: sign === "-" ? -units : units, scale: fraction.length };
}

function align(a: Scaled, b: Scaled): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.units * 10n ** BigInt(scale - a.scale), b.units * 10n ** BigInt(scale - b.scale), scale];
}

function writeScaled(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale);
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** numerator ÷ denominator as an integer, half to even. */
function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const floor = n / d;
  const twice = (n % d) * 2n;
  const up = twice > d || (twice === d && floor % 2n === 1n);
  const magnitude = up ? floor + 1n : floor;
  return negative ? -magnitude : magnitude;
}

/** Rounds to a fixed number of decimals, half to even; the answer always has exactly that many. */
export function roundDecimal(text: string, decimals: number): string {
  const { units, scale } = parseScaled(text);
  if (decimals >= scale) return writeScaled(units * 10n ** BigInt(decimals - scale), decimals);
  return writeScaled(divideHalfEven(units, 10n ** BigInt(scale - decimals)), decimals);
}

export function compareDecimals(a: string, b: string): -1 | 0 | 1 {
  const [x, y] = align(parseScaled(a), parseScaled(b));
  return x < y ? -1 : x > y ? 1 : 0;
}

export function isZero(text: string): boolean {
  return parseScaled(text).units === 0n;
}

export function isNegative(text: string): boolean {
  return parseScaled(text).units < 0n;
}

export const negate = (text: string): string =>
  text.startsWith("-") ? text.slice(1) : isZero(text) ? text : `-${text}`;

export function addDecimals(texts: readonly string[]): string {
  let total: Scaled = { units: 0n, scale: 0 };
  for (const text of texts) {
    const [x, y, scale] = align(total, parseScaled(text));
    total = { units: x + y, scale };
  }
  return writeScaled(total.units, total.scale);
}

/** numerator ÷ denominator with a fixed number of decimals, half to even; null when there is nothing to divide by. */
export function divideDecimals(numerator: string, denominator: string, decimals: number): string | null {
  const [n, d] = align(parseScaled(numerator), parseScaled(denominator));
  return d === 0n ? null : writeScaled(divideHalfEven(n * 10n ** BigInt(decimals), d), decimals);
}

/** Moves the decimal point to the right: price per token → price per million tokens, exactly. */
export function shiftDecimal(text: string, places: number): string {
  const { units, scale } = parseScaled(text);
  return scale >= places ? writeScaled(units, scale - places) : writeScaled(units * 10n ** BigInt(places - scale), 0);
}

/** A float near the value: for bar lengths and axes, never for an amount that is read. */
export function toGeometry(text: string): number {
  return Number(text);
}
