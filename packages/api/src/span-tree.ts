/**
 * The spans of a trace by number, each with the number of its parent: what is said of whole traces walks numbers, so that
 * a hundred thousand spans cost little. No recursion, so depth and cycles of a broken trace can't hurt.
 */

export type TreeSpan = { spanId: string; parentSpanId: string; linked?: boolean };

export type SpanTree<Span extends TreeSpan = TreeSpan> = {
  /** The trace's own: not those elsewhere that it links to. */
  spans: readonly Span[];
  /** Of the span with that id. */
  numberOf: ReadonlyMap<string, number>;
  /** The number of each span's parent; ROOT or MISSING where it has none here. */
  parents: Int32Array;
  /** Spans that lie on a cycle of parents, those that are their own parent included; cycle by cycle. */
  cycles: readonly (readonly number[])[];
};

export const ROOT = -1;
export const MISSING = -2;

export function buildSpanTree<Span extends TreeSpan>(all: readonly Span[]): SpanTree<Span> {
  const spans = all.filter((span) => span.linked !== true);
  const numberOf = new Map<string, number>();
  for (const [number, { spanId }] of spans.entries()) numberOf.set(spanId, number);
  const parents = Int32Array.from(spans, ({ parentSpanId }) =>
    parentSpanId === "" ? ROOT : (numberOf.get(parentSpanId) ?? MISSING),
  );
  return { spans, numberOf, parents, cycles: findCycles(parents) };
}

/** A way up that meets itself has closed a cycle; one that meets an earlier way has not. */
function findCycles(parents: Int32Array): number[][] {
  const wayOf = new Int32Array(parents.length).fill(-1);
  const cycles: number[][] = [];
  for (let start = 0; start < parents.length; start += 1) {
    let at = start;
    while (at >= 0 && wayOf[at] === -1) {
      wayOf[at] = start;
      at = parents[at] ?? ROOT;
    }
    if (at >= 0 && wayOf[at] === start) cycles.push(walkCycle(parents, at));
  }
  return cycles;
}

function walkCycle(parents: Int32Array, start: number): number[] {
  const cycle: number[] = [];
  let at = start;
  do {
    cycle.push(at);
    at = parents[at] ?? ROOT;
  } while (at !== start);
  return cycle;
}
