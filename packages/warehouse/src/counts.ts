/** Whole numbers that ClickHouse sends as text: read to a number only where that is exact. */
import { assert } from "@centspan/base";

export function readCount(text: string): number {
  const count = Number(text);
  assert(Number.isSafeInteger(count), `a count that a number holds exactly, not ${text}`);
  return count;
}
