/** Typed reading of a row's facts, which are attribute texts: what is not a number reads as absent, never as zero. */

export function readCount(facts: Record<string, string>, name: string): number | null {
  const text = facts[name];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A decimal number of milliseconds as nanoseconds. */
export function readMilliseconds(facts: Record<string, string>, name: string): bigint | null {
  const text = facts[name];
  if (text === undefined || !/^\d{1,12}(\.\d+)?$/.test(text)) return null;
  return BigInt(Math.round(Number(text) * 1_000_000));
}
