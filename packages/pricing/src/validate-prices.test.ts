import { type ContractPrice, defineRateCard, type ExchangeRate, type PriceEntry, type RateCard } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { findRateCardProblems, listPrices, rateCards, validatePriceBook } from "./index.ts";
import { makeContract, makeEntry } from "./testing/make-book.ts";

const card = (...entries: PriceEntry[]): RateCard =>
  defineRateCard({ id: "c", describe: "test", provider: "p", entries });

describe("bundled rate cards", () => {
  it("have no problem", () => expect(findRateCardProblems(rateCards)).toEqual([]));

  it("are one for each provider", () =>
    expect(rateCards.map(({ provider }) => provider).sort()).toEqual([
      "anthropic",
      "aws-bedrock",
      "azure",
      "centspan",
      "deepseek",
      "google",
      "mistral",
      "openai",
      "openrouter",
      "xai",
    ]));

  it.each(rateCards.flatMap(({ entries }) => entries))("$id can price a call", (each) => {
    // An embedding model writes nothing.
    const hasOutput = !each.model.includes("embedding");
    expect(each.perMillion.input).toEqual(expect.any(String));
    expect(each.perMillion.output_text !== undefined).toBe(hasOutput);
  });
});

describe("validation", () => {
  const cases: { why: string; cards: RateCard[]; problem: RegExp }[] = [
    {
      why: "an unknown field",
      cards: [card({ ...makeEntry(), ...{ usdPerMillion: {} } })],
      problem: /card c: entry a: .*usdPerMillion/,
    },
    {
      why: "an unknown meter",
      cards: [card(makeEntry({ perMillion: { input: "1", ...{ audio: "2" } } }))],
      problem: /card c: entry a: perMillion: .*audio/,
    },
    {
      why: "an unknown selector",
      cards: [card(makeEntry({ when: { serviceTier: "flex", ...{ moon: "full" } } }))],
      problem: /card c: entry a: when: .*moon/,
    },
    {
      why: "a currency that is none",
      cards: [card(makeEntry({ currency: "euro" }))],
      problem: /card c: entry a: currency: must be the three letters of a currency/,
    },
    {
      why: "an id used twice",
      cards: [card(makeEntry(), makeEntry({ model: "n" }))],
      problem: /entry a: the id is used twice/,
    },
    { why: "a card id used twice", cards: [card(), card()], problem: /card c: the id is used twice/ },
    {
      why: "an exponent",
      cards: [card(makeEntry({ perMillion: { input: "1e-3" } }))],
      problem: /card c: entry a: perMillion.input: must be a decimal string/,
    },
    {
      why: "a negative price",
      cards: [card(makeEntry({ perMillion: { input: "-1" } }))],
      problem: /perMillion.input: must be a decimal string/,
    },
    {
      why: "a unit price of more than 12 decimals",
      cards: [card(makeEntry({ perMillion: { input: "0.0000001" } }))],
      problem: /at most 6 decimals/,
    },
    { why: "no date", cards: [card(makeEntry({ from: "spring" }))], problem: /entry a: from: is not a date/ },
    {
      why: "an end before its beginning",
      cards: [card(makeEntry({ to: "2025-12-31" }))],
      problem: /entry a: to must be after from/,
    },
    {
      why: "a model that matches everything",
      cards: [card(makeEntry({ model: "*" }))],
      problem: /entry a: model: must be a name/,
    },
    {
      why: "two entries from one day on",
      cards: [card(makeEntry(), makeEntry({ id: "b" }))],
      problem: /card c: entry b: overlaps a/,
    },
    {
      why: "an end after the successor's start",
      cards: [card(makeEntry({ to: "2026-03-01" }), makeEntry({ id: "b", from: "2026-02-01" }))],
      problem: /entry b: overlaps a/,
    },
    {
      why: "an overlap across cards of one provider",
      cards: [card(makeEntry()), { ...card(makeEntry({ id: "b" })), id: "d" }],
      problem: /card d: entry b: overlaps a/,
    },
    {
      why: "a context tier of nothing",
      cards: [card(makeEntry({ when: { context: { comparator: ">", tokens: 0 } } }))],
      problem: /when.context.tokens/,
    },
    {
      why: "an hour that is none",
      cards: [card(makeEntry({ when: { hours: { from: "25:00", to: "04:00" } } }))],
      problem: /when.hours.from: must be HH:MM/,
    },
    {
      why: "a price for later that does not say so",
      cards: [card(makeEntry({ from: "2027-01-01", checkedOn: "2026-12-31" }))],
      problem: /entry a: status must be "announced"/,
    },
    {
      why: "another name of a model that no entry prices",
      cards: [{ ...card(makeEntry()), aliases: { latest: "n" } }],
      problem: /card c: aliases.latest: no entry has the model n/,
    },
  ];
  it.each(cases)("refuses $why", ({ cards, problem }) => {
    expect(findRateCardProblems(cards).join("\n")).toMatch(problem);
    expect(() => validatePriceBook({ ...listPrices, cards })).toThrow(problem);
  });

  it.each([
    { why: "a rate change as a new entry", entries: [makeEntry(), makeEntry({ id: "b", from: "2026-02-01" })] },
    {
      why: "an end on the day of the successor",
      entries: [makeEntry({ to: "2026-02-01" }), makeEntry({ id: "b", from: "2026-02-01" })],
    },
    { why: "other selectors", entries: [makeEntry(), makeEntry({ id: "b", when: { serviceTier: "batch" } })] },
    { why: "another model", entries: [makeEntry(), makeEntry({ id: "b", model: "m-2*" })] },
    {
      why: "an announcement",
      entries: [makeEntry({ from: "2027-01-01", checkedOn: "2026-12-31", status: "announced" })],
    },
  ])("accepts $why", ({ entries }) => expect(findRateCardProblems([card(...entries)])).toEqual([]));
});

describe("validation of what was agreed on", () => {
  const EUR: ExchangeRate = { currency: "EUR", from: "2026-06-01", usd: "1.1", source: "ECB" };
  const inEuro = makeContract({ terms: { kind: "absolute", currency: "EUR", perMillion: { input: "1" } } });
  const cases: { why: string; contracts?: ContractPrice[]; rates?: ExchangeRate[]; problem: RegExp }[] = [
    {
      why: "an unknown field",
      contracts: [{ ...makeContract(), ...{ discount: "5" } }],
      problem: /contracts: entry contract: .*discount/,
    },
    {
      why: "more than all off",
      contracts: [makeContract({ terms: { kind: "percent_off", percent: "101" } })],
      problem: /contracts: entry contract: terms.percent: must be at most 100/,
    },
    {
      why: "a key's contract that names none",
      contracts: [makeContract({ scope: "key" })],
      problem: /contracts: entry contract: scopeId must name the key or the team/,
    },
    {
      why: "a currency without an exchange rate on its first day",
      contracts: [inEuro],
      rates: [EUR],
      problem: /contracts: entry contract: terms.currency: no exchange rate of EUR is in force on 2026-01-01/,
    },
    {
      why: "two contracts for one scope and model at one time",
      contracts: [makeContract(), makeContract({ id: "other" })],
      problem: /contracts: entry other: overlaps contract/,
    },
    {
      why: "two contracts for the same days of the week, told in another order",
      contracts: [
        makeContract({ when: { weekdays: [6, 7] } }),
        makeContract({ id: "other", when: { weekdays: [7, 6] } }),
      ],
      problem: /contracts: entry other: overlaps contract/,
    },
    {
      why: "a day of the week that is named twice",
      contracts: [makeContract({ when: { weekdays: [6, 6] } })],
      problem: /contracts: entry contract: when.weekdays: names a day twice/,
    },
    { why: "an id used twice", contracts: [makeContract(), makeContract()], problem: /the id is used twice/ },
    { why: "two rates of one day", rates: [EUR, EUR], problem: /exchangeRates: entry EUR from 2026-06-01/ },
    {
      why: "two rates of one instant, written in two ways",
      rates: [EUR, { ...EUR, from: "2026-06-01T00:00:00Z", usd: "2.2" }],
      problem: /exchangeRates: entry EUR from 2026-06-01/,
    },
    {
      why: "a rate of a currency that nobody has",
      rates: [{ ...EUR, currency: "XQZ" }],
      problem: /exchangeRates: entry 0: currency/,
    },
    {
      why: "a rate of nothing",
      rates: [{ ...EUR, usd: "0.000" }],
      problem: /exchangeRates: entry 0: usd: must be more/,
    },
    {
      why: "a name with a character that is none",
      contracts: [makeContract({ id: "a\0b" })],
      problem: /contracts: entry a.b: id: must not contain control characters/s,
    },
    { why: "a rate of USD", rates: [{ ...EUR, currency: "USD" }], problem: /exchangeRates: entry 0: currency/ },
    { why: "a rate of nothing in words", rates: [{ ...EUR, usd: "one" }], problem: /exchangeRates: entry 0: usd/ },
  ];
  it.each(cases)("refuses $why", ({ contracts = [], rates = [], problem }) =>
    expect(() => validatePriceBook({ ...listPrices, contracts, exchangeRates: rates })).toThrow(problem),
  );

  it("accepts one contract after another, and one beside it of a narrower scope", () =>
    validatePriceBook({
      ...listPrices,
      contracts: [
        makeContract(),
        makeContract({ id: "next", from: "2026-02-01" }),
        makeContract({ id: "team", scope: "team", scopeId: "payments" }),
        { ...inEuro, id: "euro", model: "n", from: "2026-06-01" },
      ],
      exchangeRates: [EUR],
    }));
});
