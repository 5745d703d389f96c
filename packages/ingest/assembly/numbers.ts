/** Numbers as text. */
import { writeDouble } from "./host";

export function countDigits(value: u64): u32 {
  let count: u32 = 1;
  for (let power: u64 = 10; value >= power; power *= 10) {
    count += 1;
    // The next power would not fit.
    if (count === 20) break;
  }
  return count;
}

/** Writes the digits so that they end there. */
export function writeDigits(value: u64, end: usize): void {
  let at = end;
  let rest = value;
  // Half the width divides faster.
  for (; rest > u64(u32.MAX_VALUE); rest /= 10) store<u8>(--at, 0x30 + u32(rest % 10));
  let small = u32(rest);
  do {
    store<u8>(--at, 0x30 + (small % 10));
    small /= 10;
  } while (small > 0);
}

const MAX_DIGITS: f64 = 1e15;
const MAX_PLACES: u32 = 9;

/**
 * A number as JavaScript writes it, in at most 32 bytes; returns how many. Where a decimal of at most 15 digits is the
 * number (dividing the whole digits by a power of ten, both exact, gives it back), no other of as few is, so that the
 * one with the fewest decimal places is what JavaScript writes. All others are left to it.
 */
export function writeNumber(value: f64, to: usize): u32 {
  const size = abs(value);
  if (size >= 0.001 && size < 1e6) {
    let scale: f64 = 1;
    for (let places: u32 = 0; places <= MAX_PLACES; places++, scale *= 10) {
      const digits = nearest(size * scale);
      if (digits < MAX_DIGITS && digits / scale === size) return writeDecimal(u64(digits), places, value < 0, to);
    }
  }
  return writeDouble(value, to);
}

function writeDecimal(digits: u64, places: u32, isNegative: bool, to: usize): u32 {
  const start = to + usize(isNegative);
  if (isNegative) store<u8>(to, 0x2d);
  let fraction = digits;
  let whole = digits;
  if (places > 0) {
    const scale = powerOfTen(places);
    whole = digits / scale;
    fraction = digits % scale;
  }
  const count = countDigits(whole);
  writeDigits(whole, start + count);
  if (places === 0) return u32(start + count - to);
  const point = start + count;
  const end = point + 1 + places;
  // Zeros before the digits of the fraction.
  for (let at = point + 1; at < end; at++) store<u8>(at, 0x30);
  store<u8>(point, 0x2e);
  writeDigits(fraction, end);
  return u32(end - to);
}

function powerOfTen(exponent: u32): u64 {
  let power: u64 = 1;
  for (let i: u32 = 0; i < exponent; i++) power *= 10;
  return power;
}
