export { usageMetricNames } from "@centspan/dialects";
export { callAttributes } from "./claim-spans.ts";
export {
  type CohortComparison,
  compareCohorts,
  type Difference,
  findCheapest,
  isUnderstated,
} from "./compare-cohorts.ts";
export {
  costPerOutcome,
  lacksTasks,
  MOST_RESAMPLED,
  type OutcomeCost,
  priceReview,
  sliceTask,
} from "./cost-per-outcome.ts";
export { deriveCalls, deriveCallsWithNotes, deriveReports, type UsageSignals } from "./derive-calls.ts";
export { type AttemptReturn, findAttemptReturns, findGroupReturns, type GroupReturn } from "./find-returns.ts";
export { type EvaluatedWay, type EvaluationRun, judgeEvaluation } from "./judge-evaluation.ts";
export { linkOutcomes, listOnBranch } from "./linking/link-outcomes.ts";
export { placeAttributes, readPlace } from "./linking/read-place.ts";
export { makeStatement } from "./make-statement.ts";
export { fillUnknown, mergeByResponse } from "./merge-calls.ts";
export { shareInterval, toEstimate } from "./ratio-interval.ts";
export { wasteCauses } from "./registry.gen.ts";
export { comparePrompts, nothingOf } from "./runs/compare-prompts.ts";
export { compareRuns } from "./runs/compare-runs.ts";
export { turnAttributes } from "./runs/list-turns.ts";
export { runAtOnce, type Sliced } from "./slices.ts";
export { explainChange, type SpendChange, type SpendPeriod } from "./spend/explain-change.ts";
export { findAnomalies, type SpendAnomaly } from "./spend/find-anomalies.ts";
export { type ForecastOptions, forecastSpend, type SpendForecast } from "./spend/forecast-spend.ts";
export { type MetricTotal, sumMetricTotals } from "./sum-metric-totals.ts";
export { wasteAttributes } from "./waste/attributes.ts";
export { findWaste, type PriceOf } from "./waste/find-waste.ts";
export { forecastSaving, type Saving } from "./waste/forecast-saving.ts";
export { choosesRequests, costByWork, listCutTraces, sumStates } from "./work-cost.ts";
export { createWorkNames } from "./work-names.ts";
