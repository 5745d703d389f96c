/**
 * Exact decimals: `{ units, scale }` stands for units / 10^scale.
 * All rounding in this package goes through `divideRounded`.
 */

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

export function parseDecimal(text) {
  const match = DECIMAL.exec(text);
  if (!match) throw new RangeError(`not a decimal: ${JSON.stringify(text)}`);
  const [, sign, whole, fraction = ""] = match;
  const units = BigInt(whole + fraction);
  return { units: sign === "-" ? -units : units, scale: fraction.length };
}

export function add(a, b) {
  const scale = Math.max(a.scale, b.scale);
  return { units: widen(a, scale) + widen(b, scale), scale };
}

export function multiply(a, b) {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** The nearest value with `scale` fraction digits. */
export function rescale(value, scale) {
  if (value.scale <= scale) return { units: widen(value, scale), scale };
  const divisor = 10n ** BigInt(value.scale - scale);
  return { units: divideRounded(value.units, divisor), scale };
}

/** numerator / denominator to the nearest integer; denominator > 0. */
export function divideRounded(numerator, denominator) {
  const quotient = numerator / denominator;
  const remainder = numerator % denominator;
  if (remainder * 2n >= denominator) return quotient + 1n;
  return quotient;
}

function widen(value, scale) {
  return value.units * 10n ** BigInt(scale - value.scale);
}
