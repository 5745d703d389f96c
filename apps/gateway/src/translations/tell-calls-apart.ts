/**
 * Which call a piece of a Chat Completions answer belongs to. By the protocol its `index` says so; some servers number all
 * calls 0, and tell them apart by their ids, or only by giving each in one piece.
 */
export type CallPiece = { index?: number | undefined; id?: string | null | undefined };

/** Takes the pieces of one event, or all of a whole answer; returns the number of the call that each belongs to. */
export function createCallTeller(): (pieces: readonly CallPiece[]) => number[] {
  const latest = new Map<number, { call: number; id: string | null }>();
  let calls = 0;
  return (pieces) => {
    const seen = new Set<number>();
    return pieces.map(({ index: said, id: given }, place) => {
      const index = said ?? place;
      const id = given || null;
      const known = seen.has(index) ? undefined : latest.get(index);
      seen.add(index);
      const isKnown = known !== undefined && (id === null || known.id === null || id === known.id);
      const found = isKnown ? { call: known.call, id: known.id ?? id } : { call: calls++, id };
      latest.set(index, found);
      return found.call;
    });
  };
}
