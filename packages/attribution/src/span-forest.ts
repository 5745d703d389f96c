/**
 * Spans of one or several traces as a forest that is safe to walk: each span once (a second delivery is dropped, ids
 * compare without case), and every way up ends. Links among the members of a cycle are cut, since none of them is
 * above the others; a missing parent ends the way too. No recursion.
 */
import type { SpanRecord } from "@centspan/model";

export type SpanForest = {
  /** In order of start, then of id: independent of the order of arrival. */
  spans: readonly SpanRecord[];
  duplicates: readonly SpanRecord[];
  find(traceId: string, spanId: string): SpanRecord | undefined;
  /** Nearest first, without the span itself. */
  ancestors(span: SpanRecord): Iterable<SpanRecord>;
  /** Spans that have at least one of `below` strictly under them. */
  spansAbove(below: Iterable<SpanRecord>): Set<SpanRecord>;
};

export function buildForest(delivered: readonly SpanRecord[]): SpanForest {
  const byKey = new Map<string, SpanRecord>();
  const duplicates: SpanRecord[] = [];
  for (const raw of delivered) {
    const span = normaliseIds(raw);
    const key = keyOf(span.traceId, span.spanId);
    if (byKey.has(key)) duplicates.push(span);
    else byKey.set(key, span);
  }
  const spans = [...byKey.values()].sort(compareSpans);
  const linked = (span: SpanRecord): SpanRecord | undefined =>
    span.parentSpanId === "" ? undefined : byKey.get(keyOf(span.traceId, span.parentSpanId));
  const inCycle = findCycles(spans, linked);
  const parentOf = (span: SpanRecord): SpanRecord | undefined => (inCycle.has(span) ? undefined : linked(span));

  function* ancestors(span: SpanRecord): Iterable<SpanRecord> {
    for (let at = parentOf(span); at; at = parentOf(at)) yield at;
  }
  return {
    spans,
    duplicates,
    find: (traceId, spanId) => byKey.get(keyOf(traceId.toLowerCase(), spanId.toLowerCase())),
    ancestors,
    spansAbove(below) {
      const above = new Set<SpanRecord>();
      for (const span of below) {
        for (const ancestor of ancestors(span)) {
          if (above.has(ancestor)) break;
          above.add(ancestor);
        }
      }
      return above;
    },
  };
}

/** Members of cycles, by colouring: a walk up that meets its own path has closed one. */
function findCycles(
  spans: readonly SpanRecord[],
  parentOf: (span: SpanRecord) => SpanRecord | undefined,
): Set<SpanRecord> {
  const cyclic = new Set<SpanRecord>();
  const done = new Set<SpanRecord>();
  for (const start of spans) {
    const path = new Map<SpanRecord, number>();
    let at: SpanRecord | undefined = start;
    while (at && !done.has(at) && !path.has(at)) {
      path.set(at, path.size);
      at = parentOf(at);
    }
    const closedAt = at && path.get(at);
    for (const [span, position] of path) {
      done.add(span);
      if (closedAt !== undefined && position >= closedAt) cyclic.add(span);
    }
  }
  return cyclic;
}

const normaliseIds = (span: SpanRecord): SpanRecord => ({
  ...span,
  traceId: span.traceId.toLowerCase(),
  spanId: span.spanId.toLowerCase(),
  parentSpanId: span.parentSpanId.toLowerCase(),
});

const keyOf = (traceId: string, spanId: string): string => `${traceId}/${spanId}`;

function compareSpans(a: SpanRecord, b: SpanRecord): number {
  if (a.startedAtNs !== b.startedAtNs) return a.startedAtNs < b.startedAtNs ? -1 : 1;
  const [keyA, keyB] = [keyOf(a.traceId, a.spanId), keyOf(b.traceId, b.spanId)];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}
