import type { PriceBook } from "@centspan/model";
import { rateCards } from "./registry.gen.ts";

export { cacheLifetimeMs, openAiCacheMs, takesCacheMarks } from "./cache-lifetime.ts";
export type { MinuteTokens } from "./commitments/cover-quantities.ts";
export { coversCharge, listBegun } from "./commitments/cover-usage.ts";
export { readFee } from "./commitments/read-fee.ts";
export { readSeatUse } from "./commitments/read-seat-use.ts";
export {
  type CommittedUsage,
  type CoveredCharge,
  type CreditBalance,
  carryOver,
  type Spread,
  spreadCommitments,
} from "./commitments/spread-commitments.ts";
export { findCommitmentProblems } from "./commitments/validate-commitments.ts";
export { busySeconds, measureOccupancy } from "./measure-occupancy.ts";
export { rateCall } from "./rate-call.ts";
export { rateCards } from "./registry.gen.ts";
export { findScopes, tabulatePrices } from "./tabulate-prices.ts";
export { findRateCardProblems, validatePriceBook } from "./validate-prices.ts";

/** What the bundled lists say, where nothing else was agreed on. */
export const listPrices: PriceBook = { cards: rateCards, contracts: [], exchangeRates: [] };
