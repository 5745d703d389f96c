/**
 * What of a system text or a tool stays the same when it is written otherwise, as hashes: by that a change is named. Pieces
 * come again in most prompts, so what was worked out of one is remembered under its own hash.
 */
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";

export type PieceTraits = {
  /** Of a tool. */
  name: string;
  /** Of its content, whatever the order of members. */
  sorted: string;
  /** Of its text without numbers, days and months: what a clock in it leaves alone. */
  timeless: string;
};

const MOST_REMEMBERED = 20_000;

export function createPieceReader(): (piece: unknown, pieceHash: number) => PieceTraits {
  const known = new LRUCache<number, PieceTraits>({ max: MOST_REMEMBERED });
  return (piece, pieceHash) => {
    const found = known.get(pieceHash);
    if (found) return found;
    const traits = describePiece(piece);
    known.set(pieceHash, traits);
    return traits;
  };
}

const TIMES =
  /\d+|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|am|pm)\b/gi;

export function describePiece(piece: unknown): PieceTraits {
  const { name, function: inner } = Object(piece);
  const text = JSON.stringify(piece) ?? "";
  return {
    name: shorten(String(name ?? Object(inner).name ?? "")),
    sorted: shorten(JSON.stringify(sortMembers(piece)) ?? ""),
    timeless: shorten(text.replace(TIMES, "0")),
  };
}

const shorten = (text: string): string => (text === "" ? "" : hash("sha256", text).slice(0, 12));

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortMembers(member)]),
  );
}
