export { type RateableCall, rateCall } from "./rate-call.ts";
export { rateCards } from "./registry.gen.ts";
export { findRateCardProblems, validateRateCards } from "./validate-cards.ts";
