export { costPerOutcome, type OutcomeCost } from "./cost-per-outcome.ts";
export {
  type DeriveOptions,
  deriveCalls,
  deriveCallsWithNotes,
  listReplacedCalls,
  type UsageSignals,
} from "./derive-calls.ts";
export { mergeByResponse } from "./merge-calls.ts";
export { type MetricTotal, sumMetricTotals } from "./sum-metric-totals.ts";
