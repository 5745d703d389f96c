/** The facts of a run put together: each call with its spans and the call that it goes on from, and the loop's turns. */
import type { RatedCall, RunFacts, SpanRecord, WatchedCall, WatchedRun, WatchedTurn } from "@centspan/model";
import { groupBy } from "../group-by.ts";
import { readCount, readText } from "./attributes.ts";

export function watchRun({ calls, spans, outcomes }: RunFacts): WatchedRun {
  const tree = growTree(spans);
  const watched: WatchedCall[] = [];
  const latest = new Map<string, WatchedCall>();
  const bySpan = new Map<string, WatchedCall>();
  for (const call of [...calls].sort(compareCalls)) {
    const span = tree.find(call);
    const attributes = span?.attributes ?? {};
    const thread = readText(attributes, "centspan.thread.id") || call.sessionId || call.runId || call.traceId;
    const named = bySpan.get(readText(attributes, "centspan.prefix.before_span_id") ?? "");
    const at: WatchedCall = {
      call,
      thread,
      promptTokens: countPrompt(call),
      attributes,
      failed: span?.status === "error",
      outcome: outcomes.get(call.callId) ?? null,
      siblings: span === undefined ? [] : tree.listBeside(span),
      turn: span === undefined ? null : readCount(tree.findTurn(span)?.attributes ?? {}, "centspan.turn.number"),
      stages: (name) => (span === undefined ? [] : tree.listStages(span, name)),
      before: named ?? latest.get(thread) ?? null,
    };
    watched.push(at);
    bySpan.set(call.spanId, at);
    if (at.promptTokens > 0) latest.set(thread, at);
  }
  return {
    calls: watched,
    turns: spans.filter(({ name }) => name === "loop.turn").map(watchTurn),
    tools: spans.filter(({ name }) => name.startsWith("execute_tool ")),
    compactions: new Set(
      spans.filter(({ name }) => name === "compaction").flatMap((span) => listCalls(tree.listBelow(span))),
    ),
  };

  function watchTurn(span: SpanRecord): WatchedTurn {
    const within = tree.listBelow(span);
    return {
      span,
      tools: within.filter(({ name }) => name.startsWith("execute_tool ")),
      calls: listCalls(within),
    };
  }

  function listCalls(within: readonly SpanRecord[]): WatchedCall[] {
    const ids = new Set(within.map(({ spanId }) => spanId));
    return watched.filter(({ call }) => ids.has(call.spanId));
  }
}

const countPrompt = ({ buckets }: RatedCall): number =>
  buckets.input + buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h;

const compareCalls = (a: RatedCall, b: RatedCall): number =>
  a.atNs !== b.atNs ? (a.atNs < b.atNs ? -1 : 1) : a.callId < b.callId ? -1 : 1;

function growTree(spans: readonly SpanRecord[]) {
  const byId = new Map(spans.map((span) => [keyOf(span.traceId, span.spanId), span]));
  const children = groupBy(
    [...spans].sort((a, b) => (a.startedAtNs < b.startedAtNs ? -1 : a.startedAtNs > b.startedAtNs ? 1 : 0)),
    ({ traceId, parentSpanId }) => keyOf(traceId, parentSpanId),
  );
  const listChildren = ({ traceId, spanId }: SpanRecord): SpanRecord[] => children.get(keyOf(traceId, spanId)) ?? [];
  const listAround = (span: SpanRecord): SpanRecord[] =>
    span.parentSpanId === "" ? [] : (children.get(keyOf(span.traceId, span.parentSpanId)) ?? []);
  return {
    find: ({ traceId, spanId }: RatedCall) => byId.get(keyOf(traceId, spanId)),
    listBeside: (span: SpanRecord) => listAround(span).filter((other) => other !== span),
    /** Stages of the request stand beside the call, inference below it. */
    listStages: (span: SpanRecord, name: string) =>
      [...listAround(span), ...listChildren(span)].filter((other) => other.name === name),
    /** The nearest above it, of the few steps that a turn has. */
    findTurn(span: SpanRecord): SpanRecord | undefined {
      let above = byId.get(keyOf(span.traceId, span.parentSpanId));
      for (let step = 0; step < 4 && above !== undefined && above.name !== "loop.turn"; step++)
        above = byId.get(keyOf(above.traceId, above.parentSpanId));
      return above?.name === "loop.turn" ? above : undefined;
    },
    listBelow(span: SpanRecord): SpanRecord[] {
      const below: SpanRecord[] = [];
      const seen = new Set<SpanRecord>([span]);
      for (let level = [span]; level.length > 0; ) {
        level = level.flatMap(listChildren).filter((child) => !seen.has(child));
        for (const child of level) seen.add(child);
        below.push(...level);
      }
      return below;
    },
  };
}

const keyOf = (traceId: string, spanId: string): string => `${traceId}/${spanId}`;
