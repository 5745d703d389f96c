/**
 * Cursors of lists that go from new to old: the sort key of the last row that was given, unreadable on purpose.
 * A page after it starts behind that key, so rows that arrive meanwhile neither repeat nor hide others.
 */
import { CentspanError } from "@centspan/base";

export type Position = { atNs: bigint; id: string };

const SHAPE = /^(\d{1,19}):(\S{1,200})$/;

export const writeCursor = ({ atNs, id }: Position): string => Buffer.from(`${atNs}:${id}`).toString("base64url");

export function readCursor(cursor: string): Position {
  const match = SHAPE.exec(Buffer.from(cursor, "base64url").toString("utf8"));
  const position = match?.[1] && match[2] ? { atNs: BigInt(match[1]), id: match[2] } : null;
  // Decoding skips what isn't base64url; only what encodes back to the same text was written here.
  if (position === null || position.atNs >= 2n ** 63n || writeCursor(position) !== cursor) throw foreignCursor();
  return position;
}

/** A position whose id is `count` numbers, as `12.34`; each fits an unsigned integer of 64 bits. */
export function readNumberedCursor(cursor: string, count: number): { atNs: bigint; numbers: string[] } {
  const { atNs, id } = readCursor(cursor);
  const numbers = id.split(".");
  const fit = numbers.every((text) => /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n);
  if (!fit || numbers.length !== count) throw foreignCursor();
  return { atNs, numbers };
}

const foreignCursor = (): CentspanError =>
  new CentspanError("invalid_request", "cursor: is not one that this list gave", { field: "cursor" });

/** Cuts what was read with one row too many into a page. */
export function cutPage<T>(
  rows: readonly T[],
  limit: number,
  positionOf: (row: T) => Position,
): { data: T[]; nextCursor: string | null } {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last !== undefined ? writeCursor(positionOf(last)) : null };
}
