/**
 * Context per turn: of each model call of a run what was in its prompt, and how that was paid (read from cache, paid for
 * again, written to the cache, new). A turn with several calls (a retry) gives several bars of the same number.
 */
import type { CallRow, SpanFacts, WasteItemRow } from "@centspan/model";
import { addDecimals } from "../format/decimal-text.ts";
import { formatMoney } from "../format/format-money.ts";
import { chooseValueTicks } from "../waterfall/choose-ticks.ts";
import { readCount } from "../waterfall/read-fact.ts";

export const SECTIONS = ["system", "tools", "history", "results"] as const;
export type Sections = Record<(typeof SECTIONS)[number], number>;

export type TurnCall = Pick<CallRow, "callId" | "spanId" | "at" | "buckets" | "costUsd" | "costStatus">;

export type TurnBar = {
  key: string;
  spanId: string;
  /** Number of the turn as the harness counted it; the ordinal of the call where there is none. */
  turn: string;
  /** As the harness put the prompt together; null where nothing says it. */
  sections: Sections | null;
  cacheRead: number;
  /** Were there before, and no cache served them. */
  repeated: number;
  cacheWrite: number;
  input: number;
  output: number;
  reasoning: number;
  cost: string | null;
  costStatus: CallRow["costStatus"];
  /** Paid for again; null where nothing was. */
  repeatedCost: string | null;
};

/** By the span of the turn. */
export function readSections(spans: readonly SpanFacts[]): Map<string, Sections> {
  const sections = new Map<string, Sections>();
  for (const { spanId, facts } of spans) {
    const [system, tools, history, results] = SECTIONS.map((name) =>
      readCount(facts, `centspan.context.${name}_tokens`),
    );
    if (system === undefined || system === null) continue;
    sections.set(spanId, { system, tools: tools ?? 0, history: history ?? 0, results: results ?? 0 });
  }
  return sections;
}

function readPrompt({ buckets }: TurnCall, wantedTokens: number) {
  const { cacheRead, input, cacheWrite5m, cacheWrite1h } = buckets;
  const cacheWrite = cacheWrite5m + cacheWrite1h;
  const repeated = Math.min(wantedTokens, cacheWrite + input);
  // Fresh tokens are the last of a prompt: what was there before was written to the cache rather than left as new.
  const written = Math.max(0, cacheWrite - repeated);
  return { cacheRead, repeated, cacheWrite: written, input: input - Math.max(0, repeated - cacheWrite) };
}

type Watched = Pick<WasteItemRow, "callId" | "evidence"> & { costUsd?: string };
type Turn = { number: string | null; spanId: string };

export function prepareTurns(
  calls: readonly TurnCall[],
  turnOf: (spanId: string) => Turn | null,
  sections: ReadonlyMap<string, Sections> = new Map(),
  waste: readonly Watched[] = [],
): TurnBar[] {
  const repeatedOf = new Map<string, { tokens: number; costs: string[] }>();
  for (const { callId, evidence, costUsd } of waste) {
    const known = repeatedOf.get(callId) ?? { tokens: 0, costs: [] };
    known.tokens += evidence.repeatedTokens ?? 0;
    if (costUsd !== undefined && evidence.repeatedTokens !== undefined) known.costs.push(costUsd);
    repeatedOf.set(callId, known);
  }
  const inOrder = calls.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return inOrder.map((call, i) => {
    const turn = turnOf(call.spanId);
    const repeated = repeatedOf.get(call.callId);
    return {
      key: call.callId,
      spanId: call.spanId,
      turn: turn?.number ?? `${i + 1}`,
      sections: (turn && sections.get(turn.spanId)) ?? null,
      ...readPrompt(call, repeated?.tokens ?? 0),
      output: call.buckets.outputText,
      reasoning: call.buckets.outputReasoning,
      cost: call.costUsd === null ? null : formatMoney(call.costUsd, 4),
      costStatus: call.costStatus,
      repeatedCost: repeated?.costs.length ? formatMoney(addDecimals(repeated.costs), 4) : null,
    };
  });
}

/** A column of the strip: the call with the largest prompt of as many as had to share it. */
export type StripColumn = { bar: TurnBar; calls: number };
export type Strip = { columns: StripColumn[]; ticks: number[]; most: number };

const promptOf = ({ cacheRead, repeated, cacheWrite, input }: TurnBar): number =>
  cacheRead + repeated + cacheWrite + input;

export function prepareStrip(bars: readonly TurnBar[], mostColumns: number): Strip {
  const perColumn = Math.max(1, Math.ceil(bars.length / mostColumns));
  const columns: StripColumn[] = [];
  for (let from = 0; from < bars.length; from += perColumn) {
    const own = bars.slice(from, from + perColumn);
    const bar = own.reduce((most, each) => (promptOf(each) > promptOf(most) ? each : most));
    columns.push({ bar, calls: own.length });
  }
  const ticks = chooseValueTicks(
    bars.reduce((most, bar) => Math.max(most, promptOf(bar), sumSections(bar)), 0),
    3,
  );
  return { columns, ticks, most: ticks.at(-1) || 1 };
}

const sumSections = ({ sections }: TurnBar): number =>
  sections === null ? 0 : SECTIONS.reduce((sum, name) => sum + sections[name], 0);
