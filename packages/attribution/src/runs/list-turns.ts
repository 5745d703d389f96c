/**
 * A run as its turns in order: each with the model calls and tool calls that are its own. A turn is a span that says so; of
 * runs without such spans each model call begins one. Every call is in one turn alone, that nearest above it, so that what
 * turns cost adds up to what the run cost.
 */
import type { RatedCall, RunFacts, SpanPlace, SpanRecord } from "@centspan/model";
import { runAtOnce } from "../slices.ts";
import { buildForest } from "../span-forest.ts";

export type Turn = {
  number: string;
  place: SpanPlace;
  atNs: bigint;
  calls: RatedCall[];
  /** Spans of the tools that it called, in order of their start. */
  tools: SpanRecord[];
  /** What its first call was asked: of the call's own span, and of the turn. */
  asked: Readonly<Record<string, string>>;
  put: Readonly<Record<string, string>>;
};

export type TraceFacts = Pick<RunFacts, "calls" | "spans">;

/** What is read of spans beside their names and times. */
export const turnAttributes = [
  "centspan.layer",
  "centspan.turn.number",
  "centspan.prefix.fingerprint",
  "centspan.prefix.system_fingerprint",
  "centspan.prefix.tools_fingerprint",
  "centspan.tool.input_hash",
  "gen_ai.tool.name",
] as const;

const TOOL = /^execute_tool /;
export const isTool = ({ name }: SpanRecord): boolean => TOOL.test(name);
export const nameTool = ({ name, attributes }: SpanRecord): string =>
  attributes["gen_ai.tool.name"] || name.replace(TOOL, "");

export function listTurns({ calls, spans }: TraceFacts): Turn[] {
  const forest = runAtOnce(buildForest(spans));
  const bySpan = new Map<SpanRecord, Turn>();
  const turns: Turn[] = [];
  const begin = (turn: Pick<Turn, "place" | "atNs" | "put"> & { number: string | undefined }): Turn => {
    const begun = { ...turn, number: turn.number ?? "", calls: [], tools: [], asked: {} };
    turns.push(begun);
    return begun;
  };
  for (const span of forest.spans) {
    if (span.name !== "loop.turn") continue;
    const { traceId, spanId, startedAtNs, attributes } = span;
    const number = attributes["centspan.turn.number"];
    bySpan.set(span, begin({ number, place: { traceId, spanId }, atNs: startedAtNs, put: attributes }));
  }
  const findAbove = (span: SpanRecord | undefined): Turn | undefined => {
    if (span !== undefined)
      for (const above of forest.ancestors(span)) {
        const turn = bySpan.get(above);
        if (turn) return turn;
      }
    return undefined;
  };
  for (const call of calls.toSorted(compareCalls)) {
    const { traceId, spanId, atNs } = call;
    const span = forest.find(traceId, spanId);
    const turn = findAbove(span) ?? begin({ number: undefined, place: { traceId, spanId }, atNs, put: {} });
    if (turn.calls.length === 0) turn.asked = span?.attributes ?? {};
    turn.calls.push(call);
  }
  turns.sort((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0));
  for (const tool of forest.spans.filter(isTool)) {
    const turn = findAbove(tool) ?? turns.findLast(({ atNs }) => atNs <= tool.startedAtNs);
    turn?.tools.push(tool);
  }
  return turns.map((turn, at) => ({ ...turn, number: turn.number || `${at + 1}` }));
}

const compareCalls = (a: RatedCall, b: RatedCall): number =>
  a.atNs !== b.atNs ? (a.atNs < b.atNs ? -1 : 1) : a.callId < b.callId ? -1 : 1;
