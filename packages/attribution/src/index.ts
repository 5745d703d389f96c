export {
  type CostPerOutcome,
  type CostPerOutcomeOptions,
  costPerOutcome,
  type OutcomeCost,
} from "./cost-per-outcome.ts";
export {
  type CallNote,
  type DerivedCalls,
  type DeriveOptions,
  deriveCalls,
  deriveCallsWithNotes,
} from "./derive-calls.ts";
export { mergeByResponse } from "./merge-calls.ts";
