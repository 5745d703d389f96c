/**
 * JSON.parse rounds numbers beyond 2^53, and nanosecond instants are that large. This puts quotes around such integers
 * before parsing: protobuf's JSON mapping takes 64-bit integers as text.
 * Invariant: text inside strings is untouched, and what was not JSON stays so.
 */

/** Where no long number follows anything that a number can follow, there is nothing to do. */
const MAY_HOLD_LONG = /[:,[\s-]\d{16}/;

/** A whole JSON number of sixteen and more digits, which is not the name of a member. */
const LONG_INTEGER = /(?<![\w.+-])-?[1-9]\d{15,}(?![\w.]|\s*:)/g;

/** The same JSON with integers of sixteen and more digits as strings. */
export function quoteBigIntegers(json: string): string {
  if (!MAY_HOLD_LONG.test(json)) return json;
  let result = "";
  let at = 0;
  while (at < json.length) {
    const open = json.indexOf('"', at);
    const plain = json.slice(at, open < 0 ? undefined : open);
    result += plain.length < 16 ? plain : plain.replace(LONG_INTEGER, '"$&"');
    if (open < 0) return result;
    const close = findClosingQuote(json, open);
    result += json.slice(open, close + 1);
    at = close + 1;
  }
  return result;
}

/** Index of the quote that ends the string; the last of the text where none does, which JSON.parse then refuses. */
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
