/**
 * JSON numbers beyond 2^53 lose digits in JSON.parse, and nanosecond timestamps are that large.
 * This puts quotes around such integers before parsing; the readers take 64-bit integers as text.
 */

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_DIGITS = /\d{16}/;

/** The same JSON with integers of 16 and more digits as strings; text inside strings is untouched. */
export function quoteBigIntegers(json: string): string {
  if (!LONG_DIGITS.test(json)) return json;
  let result = "";
  let at = 0;
  while (at < json.length) {
    const open = json.indexOf('"', at);
    const plain = json.slice(at, open < 0 ? undefined : open);
    result += LONG_DIGITS.test(plain) ? plain.replace(NUMBER, quoteIfLong) : plain;
    if (open < 0) return result;
    const close = findClosingQuote(json, open);
    result += json.slice(open, close + 1);
    at = close + 1;
  }
  return result;
}

const quoteIfLong = (number: string): string => (/^-?\d{16,}$/.test(number) ? `"${number}"` : number);

/** Index of the quote that ends the string; the last index of the text where none does, which JSON.parse then refuses. */
function findClosingQuote(json: string, open: number): number {
  let at = open;
  for (;;) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length - 1;
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}
