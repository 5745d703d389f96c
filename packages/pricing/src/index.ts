import type { PriceBook } from "@centspan/model";
import { rateCards } from "./registry.gen.ts";

export { rateCall } from "./rate-call.ts";
export { rateCards } from "./registry.gen.ts";
export { findScopes, tabulatePrices } from "./tabulate-prices.ts";
export { findRateCardProblems, validatePriceBook } from "./validate-prices.ts";

/** What the bundled lists say, where nothing else was agreed on. */
export const listPrices: PriceBook = { cards: rateCards, contracts: [], exchangeRates: [] };
