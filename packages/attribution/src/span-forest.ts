/**
 * Spans of one or several traces as a forest that is safe to walk: each span once (a second delivery is dropped, ids
 * compare without case), and every way up ends. Links among the members of a cycle are cut, since none of them is
 * above the others; a missing parent ends the way too. No recursion.
 */
import type { SpanRecord } from "@centspan/model";
import { type Sliced, visitSliced } from "./slices.ts";

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

export function* buildForest(delivered: readonly SpanRecord[]): Sliced<SpanForest> {
  const traces = new Map<string, Map<string, SpanRecord>>();
  const kept: SpanRecord[] = [];
  const duplicates: SpanRecord[] = [];
  yield* visitSliced(delivered, (raw) => {
    const span = normaliseIds(raw);
    const trace = traces.get(span.traceId) ?? new Map<string, SpanRecord>();
    if (trace.size === 0) traces.set(span.traceId, trace);
    if (trace.has(span.spanId)) {
      duplicates.push(span);
      return;
    }
    trace.set(span.spanId, span);
    kept.push(span);
  });
  const spans = kept.sort(compareSpans);
  const parentOf = yield* linkParents(spans, ({ traceId, parentSpanId }) => traces.get(traceId)?.get(parentSpanId));

  function* ancestors(span: SpanRecord): Iterable<SpanRecord> {
    for (let at = parentOf.get(span); at; at = parentOf.get(at)) yield at;
  }
  return {
    spans,
    duplicates,
    find: (traceId, spanId) => traces.get(traceId.toLowerCase())?.get(spanId.toLowerCase()),
    ancestors,
    spansAbove(below) {
      const above = new Set<SpanRecord>();
      for (const span of below)
        for (let at = parentOf.get(span); at && !above.has(at); at = parentOf.get(at)) above.add(at);
      return above;
    },
  };
}

/** The parent of each span that has one, without the members of cycles: a walk up that meets its own way has closed one. */
function* linkParents(
  spans: readonly SpanRecord[],
  find: (span: SpanRecord) => SpanRecord | undefined,
): Sliced<Map<SpanRecord, SpanRecord>> {
  const parentOf = new Map<SpanRecord, SpanRecord>();
  yield* visitSliced(spans, (span) => {
    const parent = span.parentSpanId === "" ? undefined : find(span);
    if (parent) parentOf.set(span, parent);
  });
  /** The span that the walk began with that came by first. */
  const wayOf = new Map<SpanRecord, SpanRecord>();
  const cyclic: SpanRecord[] = [];
  yield* visitSliced(spans, (start) => {
    let at: SpanRecord | undefined = start;
    while (at && !wayOf.has(at)) {
      wayOf.set(at, start);
      at = parentOf.get(at);
    }
    if (!at || wayOf.get(at) !== start) return;
    const first: SpanRecord = at;
    do {
      cyclic.push(at);
      at = parentOf.get(at) ?? first;
    } while (at !== first);
  });
  for (const span of cyclic) parentOf.delete(span);
  return parentOf;
}

function normaliseIds(span: SpanRecord): SpanRecord {
  const ids = {
    traceId: span.traceId.toLowerCase(),
    spanId: span.spanId.toLowerCase(),
    parentSpanId: span.parentSpanId.toLowerCase(),
  };
  const same = ids.traceId === span.traceId && ids.spanId === span.spanId && ids.parentSpanId === span.parentSpanId;
  return same ? span : { ...span, ...ids };
}

function compareSpans(a: SpanRecord, b: SpanRecord): number {
  if (a.startedAtNs !== b.startedAtNs) return a.startedAtNs < b.startedAtNs ? -1 : 1;
  const [keyA, keyB] = [`${a.traceId}/${a.spanId}`, `${b.traceId}/${b.spanId}`];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}
