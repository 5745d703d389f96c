import type { PriceEntry, RateCard } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { preparePreview } from "./prepare-preview.ts";
import { formatRate, preparePriceCard } from "./prepare-price-card.ts";

const entry = (model: string, from: string, given: Partial<PriceEntry> = {}): PriceEntry => ({
  id: `p/${model}@${from}`,
  model,
  from,
  perMillion: { input: "3", output_text: "0.125" },
  source: "https://prices.example.com/list?x=1",
  checkedOn: "2026-11-12",
  ...given,
});
const show = (entries: PriceEntry[], withPast = true, withVariants = true) => {
  const card: RateCard = { id: "p", describe: "P", provider: "p", entries };
  return preparePriceCard(card, { today: "2026-11-29", language: "en", withPast, withVariants });
};

describe("a price card", () => {
  it("has an entry once, whatever names it prices, with its rates per million and where they come from", () => {
    const rows = show([entry("m", "2026-07-09"), entry("m-20*", "2026-07-09")]);
    expect(rows).toEqual([
      {
        ...{ id: "p/m@2026-07-09", model: "m", alsoNamed: ["m-20*"], when: null, currency: "USD", state: "now" },
        rates: { input: "3.00", cache_read: null, cache_write_5m: null, cache_write_1h: null, output_text: "0.125" },
        ...{ webSearch: null, from: "9 Jul 2026", to: null, checkedOn: "12 Nov 2026" },
        ...{ source: "https://prices.example.com/list?x=1", sourceHost: "prices.example.com" },
      },
    ]);
  });

  it("ends an entry where the next of the same conditions begins, and no other", () => {
    const batch = { when: { serviceTier: "batch" }, id: "batch" };
    const entries = [entry("m", "2026-07-09"), entry("m", "2026-08-21"), entry("m", "2026-07-09", batch)];
    expect(show(entries).map(({ id, state, to }) => [id, state, to])).toEqual([
      ["p/m@2026-08-21", "now", null],
      ["p/m@2026-07-09", "past", "21 Aug 2026"],
      ["batch", "now", null],
    ]);
    expect(show(entries, false).map(({ id }) => id)).toEqual(["p/m@2026-08-21", "batch"]);
    expect(show(entries, false, false).map(({ id }) => id)).toEqual(["p/m@2026-08-21"]);
  });

  it("says what is announced, and what ended without a next one", () => {
    const entries = [entry("m", "2026-12-01"), entry("m", "2026-07-09", { to: "2026-11-29" })];
    expect(show(entries).map(({ from, state }) => [from, state])).toEqual([
      ["1 Dec 2026", "announced"],
      ["9 Jul 2026", "past"],
    ]);
  });

  it("has models with the latest entries first", () => {
    const entries = [entry("old", "2025-01-01"), entry("b", "2026-07-09"), entry("a", "2026-07-09")];
    expect(show(entries).map(({ model }) => model)).toEqual(["a", "b", "old"]);
  });

  it.each([
    ["3", "3.00"],
    ["0.0375", "0.0375"],
    ["2.50", "2.50"],
    ["6.250000", "6.25"],
    ["0", "0.00"],
  ])("writes %s as %s", (rate, text) => expect(formatRate(rate)).toBe(text));
});

it("previews with what would differ, the dearest first, and all of it summed exactly", () => {
  const row = (group: string, bookedUsd: string, previewedUsd: string, differenceUsd: string) => ({
    ...{ group, calls: 1000, bookedUsd, previewedUsd, differenceUsd, unpricedBefore: 2, unpricedAfter: 0 },
  });
  const { rows, total } = preparePreview([row("a", "10", "9", "-1"), row("b", "100.5", "110.5", "10")]);
  expect(rows.map(({ group, difference, growth }) => [group, difference, growth])).toEqual([
    ["b", "+$10.00", "+10.0%"],
    ["a", "−$1.00", "−10.0%"],
  ]);
  expect(total).toEqual({
    ...{ group: "", calls: "2,000", booked: "$110.50", previewed: "$119.50", difference: "+$9.00", growth: "+8.1%" },
    ...{ unpricedBefore: 4, unpricedAfter: 0 },
  });
});

it("previews what has no price as that, before and after, and not as zero", () => {
  const none = {
    group: "a",
    calls: 6,
    bookedUsd: "0",
    previewedUsd: "3",
    differenceUsd: "3",
    unpricedBefore: 6,
    unpricedAfter: 0,
  };
  expect(preparePreview([none]).rows[0]).toMatchObject({ booked: null, previewed: "$3.0000", growth: null });
  expect(preparePreview([{ ...none, unpricedAfter: 6 }]).rows[0]).toMatchObject({ previewed: null });
});
