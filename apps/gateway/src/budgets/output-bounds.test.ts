import { rateCards } from "@centspan/pricing";
import { describe, expect, it } from "vitest";
import { findListed, findOutputBound } from "./output-bounds.ts";

describe("the most that a model answers", () => {
  /** xAI's and Mistral's models are bounded by what they read and answer together, others' by who serves them. */
  const cards = rateCards.filter(({ provider }) => ["openai", "anthropic", "google", "deepseek"].includes(provider));
  const models = cards.flatMap(({ entries }) =>
    entries.filter(({ perMillion }) => perMillion.output_text !== undefined).map(({ model }) => model),
  );

  it("is listed of each that has a price", () => {
    expect(models.length).toBeGreaterThan(50);
    expect(models.filter((model) => findListed(model) === undefined)).toEqual([]);
  });

  it.each([
    ["gpt-6.2-sol", 128_000],
    ["openai/gpt-5", 128_000],
    ["gemini-2.5-pro", 65_536],
    ["us.anthropic.claude-sonnet-5", 128_000],
    ["openrouter/deepseek/deepseek-chat", 8_192],
    ["nobody/knows", 32_768],
  ])("%s", (model, tokens) => expect(findOutputBound(model)).toBe(tokens));
});
