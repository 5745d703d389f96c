export { costPerOutcome, type OutcomeCost } from "./cost-per-outcome.ts";
export { type DeriveOptions, deriveCalls, deriveCallsWithNotes } from "./derive-calls.ts";
export { mergeByResponse } from "./merge-calls.ts";
