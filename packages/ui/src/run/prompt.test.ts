import type { PromptCall, PromptComparison } from "@centspan/model";
import { expect, it } from "vitest";
import { preparePrompt } from "./prepare-prompt.ts";

const call = (more: Partial<PromptCall["buckets"]> = {}, costUsd: string | null = "0.0125"): PromptCall => ({
  ...{
    traceId: "a".repeat(32),
    spanId: "c",
    at: "2026-11-29T18:00:00.000000000Z",
    model: "m",
    costUsd,
    provenance: "measured",
  },
  buckets: {
    ...{ input: 1_000, cacheRead: 3_000, cacheWrite5m: 0, cacheWrite1h: 0, outputText: 5, outputReasoning: 6 },
    ...{ webSearches: 0, ...more },
  },
});
const compare = (more: Partial<PromptComparison> = {}): PromptComparison => ({
  ...{ call: call(), before: call({ cacheRead: 2_000 }, null), kept: true, section: "", path: "", change: "" },
  ...{ reasons: [], sharedPieces: 1_007, knownTokens: 4_000, repeatedTokens: 0, idleSeconds: 1.2, costUsd: "0" },
  ...{ seconds: 0, causes: [], text: { state: "not_recorded", path: "", common: "", before: "", after: "" } },
  ...more,
});

it.each<[verdict: string, comparison: Partial<PromptComparison>]>([
  ["kept", {}],
  ["broken", { kept: false }],
  // A history tells where it broke, and no gateway saw it.
  ["broken", { kept: null, section: "system" }],
  ["unread", { kept: null }],
  ["first", { kept: null, before: null }],
])("is %s", (verdict, comparison) => expect(preparePrompt(compare(comparison)).verdict).toBe(verdict));

it("is told beside the one before, and by how it was paid", () => {
  const { rows, parts, idle, shared } = preparePrompt(compare({ repeatedTokens: 600 }));
  expect(Object.fromEntries(rows.map(({ id, values }) => [id, values]))).toEqual({
    prompt: ["3,000", "4,000"],
    cacheRead: ["2,000", "3,000"],
    cacheWrite: ["0", "0"],
    input: ["1,000", "1,000"],
    output: ["11", "11"],
    cost: [null, "$0.0125"],
  });
  expect(parts).toEqual([
    { id: "cacheRead", tokens: "3,000", widthPct: 75 },
    { id: "repeated", tokens: "600", widthPct: 15 },
    { id: "new", tokens: "400", widthPct: 10 },
  ]);
  expect([idle, shared]).toEqual(["1.2 s", "1,007"]);
});

it("has no part of what there is none of, and no more paid again than was paid", () => {
  expect(preparePrompt(compare({ call: call({ input: 0, cacheRead: 0 }), before: null })).parts).toEqual([]);
  const { parts } = preparePrompt(compare({ repeatedTokens: 5_000 }));
  expect(parts.map(({ id, widthPct }) => [id, widthPct])).toEqual([
    ["cacheRead", 75],
    ["repeated", 25],
  ]);
});
