import { defineRateCard, type PriceEntry, type RateCard } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { findRateCardProblems, rateCards, validateRateCards } from "./index.ts";

const entry = (change: Partial<PriceEntry> = {}): PriceEntry => ({
  id: "a",
  model: "m",
  from: "2026-01-01",
  usdPerMillion: { input: "1", output_text: "2" },
  source: "a list",
  checkedOn: "2026-01-02",
  ...change,
});
const card = (...entries: PriceEntry[]): RateCard =>
  defineRateCard({ id: "c", describe: "test", provider: "p", entries });

describe("bundled rate cards", () => {
  it("have no problem", () => expect(findRateCardProblems(rateCards)).toEqual([]));

  it.each(rateCards.flatMap(({ entries }) => entries))("$id names its source and can price a call", (each) => {
    expect(each.source).not.toBe("");
    // An embedding model writes nothing.
    const hasOutput = !each.model.includes("embedding");
    expect(each.usdPerMillion.input).toEqual(expect.any(String));
    expect(each.usdPerMillion.output_text !== undefined).toBe(hasOutput);
  });
});

describe("validation", () => {
  const cases: { why: string; cards: RateCard[]; problem: RegExp }[] = [
    { why: "an unknown key", cards: [card({ ...entry(), ...{ currency: "EUR" } })], problem: /unknown key currency/ },
    {
      why: "an unknown meter",
      cards: [card(entry({ usdPerMillion: { input: "1", ...{ audio: "2" } } }))],
      problem: /usdPerMillion: unknown key audio/,
    },
    {
      why: "an unknown selector",
      cards: [card(entry({ when: { batch: true, ...{ weekday: "monday" } } }))],
      problem: /when: unknown key weekday/,
    },
    {
      why: "an id used twice",
      cards: [card(entry(), entry({ model: "n" }))],
      problem: /entry a: the id is used twice/,
    },
    { why: "a card id used twice", cards: [card(), card()], problem: /card c: the id is used twice/ },
    { why: "an exponent", cards: [card(entry({ usdPerMillion: { input: "1e-3" } }))], problem: /decimal string/ },
    { why: "a negative price", cards: [card(entry({ usdPerMillion: { input: "-1" } }))], problem: /decimal string/ },
    {
      why: "a unit price of more than 12 decimals",
      cards: [card(entry({ usdPerMillion: { input: "0.0000001" } }))],
      problem: /at most 6 decimals/,
    },
    { why: "no date", cards: [card(entry({ from: "spring" }))], problem: /from is not a date/ },
    { why: "a model that matches everything", cards: [card(entry({ model: "*" }))], problem: /model must be/ },
    {
      why: "two entries from one day on",
      cards: [card(entry(), entry({ id: "b" }))],
      problem: /entry b: overlaps a/,
    },
    {
      why: "an end after the successor's start",
      cards: [card(entry({ to: "2026-03-01" }), entry({ id: "b", from: "2026-02-01" }))],
      problem: /entry b: overlaps a/,
    },
    {
      why: "an overlap across cards of one provider",
      cards: [card(entry()), { ...card(entry({ id: "b" })), id: "d" }],
      problem: /entry b: overlaps a/,
    },
    {
      why: "a context tier of nothing",
      cards: [card(entry({ when: { context: { comparator: ">", tokens: 0 } } }))],
      problem: /positive integer/,
    },
  ];
  it.each(cases)("refuses $why", ({ cards, problem }) => {
    expect(findRateCardProblems(cards).join("\n")).toMatch(problem);
    expect(() => validateRateCards(cards)).toThrow(problem);
  });

  it.each([
    { why: "a rate change as a new entry", entries: [entry(), entry({ id: "b", from: "2026-02-01" })] },
    {
      why: "an end on the day of the successor",
      entries: [entry({ to: "2026-02-01" }), entry({ id: "b", from: "2026-02-01" })],
    },
    { why: "other selectors", entries: [entry(), entry({ id: "b", when: { batch: true } })] },
    { why: "another model", entries: [entry(), entry({ id: "b", model: "m-2*" })] },
  ])("accepts $why", ({ entries }) => expect(findRateCardProblems([card(...entries)])).toEqual([]));
});
