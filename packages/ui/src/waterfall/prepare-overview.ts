/**
 * The whole run in one strip: turns, model calls and tools by column, so that a hundred thousand spans are a few hundred
 * marks. A column says what begins or goes on in it, and whether something failed or was paid for twice there.
 */
import type { Forest } from "./build-forest.ts";
import { FLAGS } from "./flags.ts";

export const MARK_KINDS = ["turn", "call", "tool"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];
export type OverviewMark = { kind: MarkKind; leftPct: number; widthPct: number; attention: boolean };

const COLUMNS = 600;

function kindOf(name: string): MarkKind | null {
  if (name === "loop.turn") return "turn";
  if (/^(chat|embeddings|generate_content|text_completion) /.test(name)) return "call";
  return name.startsWith("execute_tool") ? "tool" : null;
}

export function prepareOverview(forest: Forest, wasted: ReadonlySet<number>): OverviewMark[] {
  const { skeleton, startNs, endNs } = forest;
  const kinds = skeleton.faces.map(({ name }) => kindOf(name));
  const columnNs = (endNs - startNs) / COLUMNS || 1;
  // Of each kind what its columns have: 0 nothing, 1 something, 2 something that needs attention.
  const columns: Record<MarkKind, Uint8Array> = {
    turn: new Uint8Array(COLUMNS),
    call: new Uint8Array(COLUMNS),
    tool: new Uint8Array(COLUMNS),
  };
  for (let node = 0; node < forest.spans; node += 1) {
    const kind = kinds[skeleton.face[node] ?? 0];
    if (kind === null || kind === undefined) continue;
    const needsAttention = ((forest.flags[node] ?? 0) & FLAGS.error) !== 0 || wasted.has(node);
    const from = Math.floor(((forest.startsNs[node] ?? 0) - startNs) / columnNs);
    const to = Math.ceil(((forest.endsNs[node] ?? 0) - startNs) / columnNs);
    const own = columns[kind];
    for (let column = Math.min(from, COLUMNS - 1); column < Math.max(to, from + 1); column += 1) {
      if (column < COLUMNS) own[column] = Math.max(own[column] ?? 0, needsAttention ? 2 : 1);
    }
  }
  return MARK_KINDS.flatMap((kind) => joinColumns(kind, columns[kind]));
}

function joinColumns(kind: MarkKind, columns: Uint8Array): OverviewMark[] {
  const marks: OverviewMark[] = [];
  for (let from = 0; from < COLUMNS; ) {
    const value = columns[from];
    let to = from + 1;
    while (to < COLUMNS && columns[to] === value) to += 1;
    if (value !== 0) {
      const [leftPct, widthPct] = [(from / COLUMNS) * 100, ((to - from) / COLUMNS) * 100];
      marks.push({ kind, leftPct, widthPct, attention: value === 2 });
    }
    from = to;
  }
  return marks;
}
