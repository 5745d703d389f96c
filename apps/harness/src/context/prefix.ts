/** Whether the context of one turn is a prefix of the next one's, and where it first differs if not. */
import type { ContextPiece, ContextSection } from "./context-log.ts";

/** `appended` counts the pieces of `now` that no cache of `before` can serve. */
export type PrefixComparison =
  | { kept: true; appended: number }
  | { kept: false; appended: number; section: ContextSection; path: string };

export function comparePrefix(before: readonly ContextPiece[], now: readonly ContextPiece[]): PrefixComparison {
  for (const [index, piece] of before.entries()) {
    const current = now[index];
    if (current?.section === piece.section && current.json === piece.json) continue;
    const isOther = current === undefined || current.path !== piece.path;
    return {
      kept: false,
      appended: now.length - Math.min(index, now.length),
      section: piece.section,
      path: isOther ? piece.path : piece.path + findDifference(JSON.parse(piece.json), JSON.parse(current.json)),
    };
  }
  return { kept: true, appended: now.length - before.length };
}

/** JSON path from the values down to the first member that differs, in the order of serialization; empty for equal ones. */
export function findDifference(before: unknown, now: unknown): string {
  if (isSame(before, now)) return "";
  if (Array.isArray(before) && Array.isArray(now)) {
    const at = before.findIndex((value, index) => !isSame(value, now[index]));
    const index = at < 0 ? before.length : at;
    return `[${index}]${findDifference(before[index], now[index])}`;
  }
  if (!isObject(before) || !isObject(now)) return "";
  const [names, others] = [Object.keys(before), Object.keys(now)];
  const at = names.findIndex((name, index) => others[index] !== name || !isSame(before[name], now[name]));
  const name = names[at] ?? others[names.length];
  return name === undefined ? "" : `${writeStep(name)}${findDifference(before[name], now[name])}`;
}

const isSame = (before: unknown, now: unknown): boolean => JSON.stringify(before) === JSON.stringify(now);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const writeStep = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);
