export { type RateableCall, rateCall } from "./rate-call.ts";
export { rateCards } from "./registry.gen.ts";
export { selectEntry } from "./select-entry.ts";
export { findRateCardProblems, validateRateCards } from "./validate-cards.ts";
