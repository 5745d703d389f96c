/** A call's prompt against the one before it: whether that stayed, how this one was paid, and the figures of both calls. */
import type { PromptCall, PromptComparison } from "@centspan/model";
import { formatMoney, headlineDecimals } from "../format/format-money.ts";
import { formatCount, formatSeconds } from "../format/format-quantity.ts";
import type { Pair } from "./prepare-walk.ts";

/** `unread`: nobody compared the two. */
export type PromptVerdict = "broken" | "kept" | "first" | "unread";

export type PromptRow = {
  id: "prompt" | "cacheRead" | "cacheWrite" | "input" | "output" | "cost";
  /** Of the call before and of this one; null where there is no such call, or its cost has no price. */
  values: Pair<string | null>;
};

/** Of this call's prompt, in the order in which it is paid. */
export type PromptPart = { id: "cacheRead" | "repeated" | "new"; tokens: string; widthPct: number };

export type PromptView = {
  verdict: PromptVerdict;
  parts: PromptPart[];
  rows: PromptRow[];
  /** Between the end of the call before and this one. */
  idle: string | null;
  /** Null where it is not known, or nothing is. */
  shared: string | null;
};

export function preparePrompt(comparison: PromptComparison): PromptView {
  const { call, before, idleSeconds, sharedPieces, repeatedTokens } = comparison;
  return {
    verdict: readVerdict(comparison),
    parts: splitPrompt(call, repeatedTokens),
    rows: ROWS.map(([id, write]) => ({ id, values: [before && write(before), write(call)] })),
    idle: idleSeconds === null ? null : formatSeconds(idleSeconds),
    shared: sharedPieces === null || sharedPieces === 0 ? null : formatCount(sharedPieces),
  };
}

/** What was paid for again tells that something was in the way, whatever else is known. */
function readVerdict({ before, kept, section }: PromptComparison): PromptVerdict {
  if (kept === false || section !== "") return "broken";
  if (kept === true) return "kept";
  return before === null ? "first" : "unread";
}

const countPrompt = ({ buckets }: PromptCall): number =>
  buckets.input + buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h;

const ROWS: readonly [PromptRow["id"], (call: PromptCall) => string | null][] = [
  ["prompt", (call) => formatCount(countPrompt(call))],
  ["cacheRead", ({ buckets }) => formatCount(buckets.cacheRead)],
  ["cacheWrite", ({ buckets }) => formatCount(buckets.cacheWrite5m + buckets.cacheWrite1h)],
  ["input", ({ buckets }) => formatCount(buckets.input)],
  ["output", ({ buckets }) => formatCount(buckets.outputText + buckets.outputReasoning)],
  ["cost", ({ costUsd }) => (costUsd === null ? null : formatMoney(costUsd, Math.max(4, headlineDecimals(costUsd))))],
];

function splitPrompt(call: PromptCall, repeatedTokens: number): PromptPart[] {
  const prompt = countPrompt(call);
  const { cacheRead } = call.buckets;
  const repeated = Math.min(repeatedTokens, prompt - cacheRead);
  const parts = [
    { id: "cacheRead", tokens: cacheRead },
    { id: "repeated", tokens: repeated },
    { id: "new", tokens: prompt - cacheRead - repeated },
  ] as const;
  return parts
    .filter(({ tokens }) => tokens > 0)
    .map(({ id, tokens }) => ({ id, tokens: formatCount(tokens), widthPct: (tokens / prompt) * 100 }));
}
