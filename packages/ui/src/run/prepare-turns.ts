/**
 * Context per turn: one bar per model call of a run, its tokens by how they were paid (read from cache, paid for
 * again, written to the cache, new, generated). A turn with several calls (a retry) gives several bars of the same number.
 */
import type { CallRow, SpanRow, WasteItemRow } from "@centspan/model";
import { formatMoney } from "../format/format-money.ts";

export type TurnBar = {
  key: string;
  spanId: string;
  /** Number of the turn as the harness counted it; the ordinal of the call where there is none. */
  turn: string;
  cacheRead: number;
  /** Were there before, and no cache served them. */
  repeated: number;
  cacheWrite: number;
  input: number;
  output: number;
  reasoning: number;
  cost: string | null;
  costStatus: CallRow["costStatus"];
};

function findTurnNumber(span: SpanRow | undefined, byId: ReadonlyMap<string, SpanRow>): string | null {
  const seen = new Set<string>();
  for (let at = span; at !== undefined && !seen.has(at.spanId); at = byId.get(at.parentSpanId)) {
    seen.add(at.spanId);
    const number = at.facts["centspan.turn.number"];
    if (at.name === "loop.turn" && number !== undefined) return number;
  }
  return null;
}

function readPrompt({ buckets }: CallRow, wantedTokens: number) {
  const { cacheRead, input, cacheWrite5m, cacheWrite1h } = buckets;
  const cacheWrite = cacheWrite5m + cacheWrite1h;
  const repeated = Math.min(wantedTokens, cacheWrite + input);
  // Fresh tokens are the last of a prompt: what was there before was written to the cache rather than left as new.
  const written = Math.max(0, cacheWrite - repeated);
  return { cacheRead, repeated, cacheWrite: written, input: input - Math.max(0, repeated - cacheWrite) };
}

type Watched = Pick<WasteItemRow, "callId" | "evidence">;

export function prepareTurns(
  calls: readonly CallRow[],
  spans: readonly SpanRow[],
  waste: readonly Watched[] = [],
): TurnBar[] {
  const repeatedOf = new Map<string, number>();
  for (const { callId, evidence } of waste) {
    repeatedOf.set(callId, (repeatedOf.get(callId) ?? 0) + (evidence.repeatedTokens ?? 0));
  }
  const byId = new Map(spans.filter((span) => !span.linked).map((span) => [span.spanId, span]));
  const inOrder = calls.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return inOrder.map((call, i) => ({
    key: call.callId,
    spanId: call.spanId,
    turn: findTurnNumber(byId.get(call.spanId), byId) ?? `${i + 1}`,
    ...readPrompt(call, repeatedOf.get(call.callId) ?? 0),
    output: call.buckets.outputText,
    reasoning: call.buckets.outputReasoning,
    cost: call.costUsd === null ? null : formatMoney(call.costUsd, 4),
    costStatus: call.costStatus,
  }));
}
