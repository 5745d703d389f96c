import { CentspanError } from "@centspan/base";
import type { PriceTerms } from "@centspan/model";
import { rateCards } from "@centspan/pricing";
import { describe, expect, it } from "vitest";
import { createPriceBooks } from "./price-books.ts";

function open() {
  const terms: PriceTerms = { contracts: [], exchangeRates: [] };
  const state = { nowMs: 0, reads: 0, isAway: false, terms };
  const store = {
    async readPriceTerms() {
      state.reads += 1;
      if (state.isAway) throw new CentspanError("store_unavailable", "away");
      return structuredClone(state.terms);
    },
  };
  return { state, readPrices: createPriceBooks(rateCards, store, () => state.nowMs) };
}

describe("a workspace's prices", () => {
  it("are the same book while nothing was agreed on anew, and known within ten seconds where something was", async () => {
    const { state, readPrices } = open();
    const first = await readPrices("w");
    state.nowMs = 9_999;
    expect([await readPrices("w"), state.reads]).toEqual([first, 1]);
    state.nowMs = 10_000;
    expect(await readPrices("w")).toBe(first);
    const exchangeRates = [{ currency: "EUR", from: "2026-01-01", usd: "1.1", source: "ECB" }];
    state.terms = { contracts: [], exchangeRates };
    state.nowMs = 20_000;
    expect((await readPrices("w")).exchangeRates).toEqual(exchangeRates);
    expect([(await readPrices("other")).cards, state.reads]).toEqual([rateCards, 4]);
  });

  it("stay what they were for ten minutes while the store is away", async () => {
    const { state, readPrices } = open();
    const first = await readPrices("w");
    state.isAway = true;
    state.nowMs = 599_999;
    expect(await readPrices("w")).toBe(first);
    await expect(readPrices("other")).rejects.toMatchObject({ code: "store_unavailable" });
    state.nowMs = 601_000;
    await expect(readPrices("w")).rejects.toMatchObject({ code: "store_unavailable" });
    state.isAway = false;
    expect(await readPrices("w")).toEqual(first);
  });

  it("are asked for once by all calls that need them at that time", async () => {
    const { state, readPrices } = open();
    const books = await Promise.all(Array.from({ length: 20 }, () => readPrices("w")));
    expect([new Set(books).size, state.reads]).toEqual([1, 1]);
  });
});
