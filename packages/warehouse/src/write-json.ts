/**
 * Rows as JSON text that ClickHouse reads. JavaScript strings may hold half a surrogate pair, which is no Unicode and
 * would make it refuse the whole batch: each is written as U+FFFD, as encoding to UTF-8 does everywhere.
 */

/** In JSON text a lone half is always an escape; taking escapes one by one keeps an escaped backslash before "ud…" apart. */
const ESCAPE = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/g;

export function writeJson(row: unknown): string {
  const text = JSON.stringify(row);
  if (!text.includes("\\ud")) return text;
  return text.replace(ESCAPE, (match, half?: string) => (half === undefined ? match : "\\ufffd"));
}
