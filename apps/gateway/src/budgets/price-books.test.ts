import type { PriceTerms } from "@centspan/model";
import { rateCards } from "@centspan/pricing";
import { expect, it } from "vitest";
import { createPriceBooks } from "./price-books.ts";

it("is the same book while nothing was agreed on anew, and knows within ten seconds what was", async () => {
  let [now, reads] = [0, 0];
  let terms: PriceTerms = { contracts: [], exchangeRates: [] };
  const store = {
    readPriceTerms: async () => {
      reads += 1;
      return structuredClone(terms);
    },
  };
  const readPrices = createPriceBooks(rateCards, store, () => now);
  const first = await readPrices("w");
  now = 9_999;
  expect([await readPrices("w"), reads]).toEqual([first, 1]);
  now = 10_000;
  expect(await readPrices("w")).toBe(first);
  terms = { contracts: [], exchangeRates: [{ currency: "EUR", from: "2026-01-01", usd: "1.1", source: "ECB" }] };
  now = 20_000;
  expect((await readPrices("w")).exchangeRates).toEqual(terms.exchangeRates);
  expect([(await readPrices("other")).cards, reads]).toEqual([rateCards, 4]);
});
