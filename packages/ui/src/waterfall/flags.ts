/** What is odd about a span, a bit each. The words are the app's. */
export const FLAGS = {
  missing_parent: 1,
  self_parent: 2,
  cycle: 4,
  unfinished: 8,
  duplicate_id: 16,
  error: 32,
  moved: 64,
} as const;

export type FlagKind = keyof typeof FLAGS;

const KINDS: readonly FlagKind[] = [
  "missing_parent",
  "self_parent",
  "cycle",
  "unfinished",
  "duplicate_id",
  "error",
  "moved",
];

export const listFlags = (bits: number): FlagKind[] => KINDS.filter((kind) => (bits & FLAGS[kind]) !== 0);

/** How many nodes have each, and the first of them in the order of rows. */
export function countFlags(flags: Uint8Array, order: Int32Array): { kind: FlagKind; count: number; first: number }[] {
  return KINDS.flatMap((kind) => {
    let count = 0;
    let first = -1;
    for (const node of order) {
      if (((flags[node] ?? 0) & FLAGS[kind]) === 0) continue;
      count += 1;
      if (first < 0) first = node;
    }
    return count === 0 ? [] : [{ kind, count, first }];
  });
}
