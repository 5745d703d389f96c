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
    return {
      kept: false,
      appended: now.length - Math.min(index, now.length),
      section: piece.section,
      path: piece.path,
    };
  }
  return { kept: true, appended: now.length - before.length };
}
