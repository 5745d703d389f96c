export { usageMetricNames } from "@centspan/dialects";
export { callAttributes } from "./claim-spans.ts";
export { costPerOutcome, type OutcomeCost } from "./cost-per-outcome.ts";
export {
  type DeriveOptions,
  deriveCalls,
  deriveCallsWithNotes,
  deriveReports,
  type UsageSignals,
} from "./derive-calls.ts";
export { makeStatement } from "./make-statement.ts";
export { fillUnknown, mergeByResponse } from "./merge-calls.ts";
export { runAtOnce, type Sliced } from "./slices.ts";
export { explainChange, type SpendChange, type SpendPeriod } from "./spend/explain-change.ts";
export { findAnomalies, type SpendAnomaly } from "./spend/find-anomalies.ts";
export { type ForecastOptions, forecastSpend, type SpendForecast } from "./spend/forecast-spend.ts";
export { type MetricTotal, sumMetricTotals } from "./sum-metric-totals.ts";
