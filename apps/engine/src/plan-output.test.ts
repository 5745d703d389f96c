import { type ConversationItem, renderItem } from "@centspan/model";
import { getTokenizer } from "@centspan/tokens";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OutputPlan, planOutput } from "./plan-output.ts";
import type { PlayedTurn } from "./players/player.ts";

const tokenizer = await getTokenizer("scripted-strong");
const turn: fc.Arbitrary<PlayedTurn> = fc.record({
  reasoning: fc.string({ unit: "grapheme", maxLength: 30 }),
  text: fc.string({ unit: "grapheme", maxLength: 30 }),
  toolCalls: fc.array(
    fc.record({ name: fc.constantFrom("search", "run_tests"), argumentsJson: fc.json({ maxDepth: 1 }) }),
    { maxLength: 3 },
  ),
});
const textOf = (plan: OutputPlan, part: number): string =>
  plan.tokens.flatMap((token) => (token.part === part ? token.text : [])).join("");
const count = (plan: OutputPlan, kind: string): number =>
  plan.tokens.filter((token) => plan.parts[token.part]?.kind === kind).length;

describe("an output plan", () => {
  it("shows the text and the arguments of the turn, and no word of its reasoning", () => {
    fc.assert(
      fc.property(turn, (played) => {
        const plan = planOutput(tokenizer, played, 100_000);
        const shown = plan.parts.map((part, at) => ({ kind: part.kind, text: textOf(plan, at) }));
        const hasText = played.text !== "" || played.toolCalls.length === 0;
        expect(shown).toEqual([
          ...(played.reasoning === "" ? [] : [{ kind: "reasoning", text: "" }]),
          ...(hasText ? [{ kind: "text", text: played.text }] : []),
          ...played.toolCalls.map((call) => ({ kind: "call", text: call.argumentsJson })),
        ]);
        expect(plan.reasoningTokens).toBe(count(plan, "reasoning"));
        expect(plan.ids).toHaveLength(plan.tokens.length);
        expect(plan.tokens.length).toBeGreaterThan(0);
      }),
    );
  });

  it("has the ids that the next prompt will have for the answer", () => {
    fc.assert(
      fc.property(turn, (played) => {
        const silent = { ...played, reasoning: "", text: `said ${played.text}` };
        const items: ConversationItem[] = [
          { type: "message", role: "assistant", text: silent.text },
          ...silent.toolCalls.map((call) => ({ type: "tool_call" as const, callId: "c", ...call })),
        ];
        const next = items.flatMap((item) => tokenizer.encode(renderItem(item)));
        expect(planOutput(tokenizer, silent, 100_000).ids).toEqual(next);
      }),
    );
  });

  it("is cut at the limit and says so", () => {
    fc.assert(
      fc.property(turn, fc.integer({ min: 1, max: 30 }), (played, limit) => {
        const whole = planOutput(tokenizer, played, 100_000);
        const plan = planOutput(tokenizer, played, limit);
        expect(plan.tokens).toEqual(whole.tokens.slice(0, limit));
        expect(plan.finishReason).toBe(whole.tokens.length > limit ? "length" : whole.finishReason);
        expect(plan.reasoningTokens).toBe(count(plan, "reasoning"));
      }),
    );
  });

  it("of a recorded turn takes exactly the recorded tokens, its text spread over those that were not reasoning", () => {
    const counts = fc.record({ reasoning: fc.nat(20), visible: fc.integer({ min: 4, max: 40 }) });
    fc.assert(
      fc.property(turn, counts, (played, { reasoning, visible }) => {
        const recorded = { outputTokens: reasoning + visible, reasoningTokens: reasoning };
        const { text, toolCalls } = played;
        const plan = planOutput(tokenizer, { reasoning: "", text, toolCalls, recorded }, 100_000);
        expect(plan.tokens).toHaveLength(reasoning + visible);
        expect(count(plan, "reasoning")).toBe(reasoning);
        const shown = plan.parts.flatMap((part, at) => (part.kind === "reasoning" ? [] : [textOf(plan, at)]));
        const hasText = text !== "" || toolCalls.length === 0;
        expect(shown).toEqual([...(hasText ? [text] : []), ...toolCalls.map(({ argumentsJson }) => argumentsJson)]);
      }),
    );
  });
});
