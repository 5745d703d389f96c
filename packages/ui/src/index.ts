/** What rooms may use of `ui`: formatters, prepare functions, and the components that draw what they prepared. */
export * from "./budgets/prepare-budgets.ts";
export type { Deviation } from "./chart/deviation.ts";
export * from "./format/index.ts";
export * from "./ledger/prepare-key-figures.ts";
export * from "./ledger/prepare-outcome-table.ts";
export * from "./ledger/prepare-situation.ts";
export * from "./ledger/prepare-tasks.ts";
export * from "./ledger/prepare-trend.ts";
export type { MoneyAxis, Whisker } from "./ledger/prepare-whisker.ts";
export * from "./outcomes/prepare-comparison.ts";
export * from "./outcomes/prepare-returns.ts";
export * from "./prices/prepare-preview.ts";
export * from "./prices/prepare-price-card.ts";
export { ContextStrip, StripKey, type StripLabels } from "./react/context-strip.tsx";
export * from "./react/curve-chart.tsx";
export { gridBackground } from "./react/grid-background.ts";
export * from "./react/provenance-mark.tsx";
export { SpendChart, type SpendChartLabels } from "./react/spend-chart.tsx";
export { TrendChart, type TrendDatum, type TrendLabels } from "./react/trend-chart.tsx";
export * from "./react/waste-bars.tsx";
export * from "./react/waterfall-parts.tsx";
export * from "./react/whisker-plot.tsx";
export * from "./recommendations/prepare-recommendation.ts";
export * from "./recommendations/prepare-what-if.ts";
export * from "./reconciliation/prepare-reconciliation.ts";
export * from "./run/group-attributes.ts";
export * from "./run/prepare-charge.ts";
export * from "./run/prepare-prompt.ts";
export * from "./run/prepare-run-comparison.ts";
export * from "./run/prepare-task-runs.ts";
export * from "./run/prepare-turns.ts";
export type { Pair, Place, TurnRow, TurnSide, Walk } from "./run/prepare-walk.ts";
export * from "./spend/add-costs.ts";
export * from "./spend/prepare-change.ts";
export * from "./spend/prepare-odd-days.ts";
export * from "./spend/prepare-spend-chart.ts";
export * from "./spend/prepare-spend-figures.ts";
export * from "./spend/prepare-spend-table.ts";
export * from "./waste/prepare-balance.ts";
export * from "./waste/prepare-fixes.ts";
export * from "./waste/prepare-waste.ts";
export * from "./waterfall/build-forest.ts";
export {
  chooseOpen,
  FOLDS,
  type Fold,
  type Folding,
  findTurn,
  isTurn,
  type Open,
} from "./waterfall/choose-open.ts";
export { AS_SENT, type SkewedHost, type SkewView } from "./waterfall/correct-skew.ts";
export { describeSpan, type Note } from "./waterfall/describe-span.ts";
export { findCriticalPath } from "./waterfall/find-critical-path.ts";
export * from "./waterfall/flags.ts";
export { countSteps, findRow, listRows, type Rows } from "./waterfall/list-rows.ts";
export { indexSteps, prepareLane, type StepLane } from "./waterfall/prepare-lane.ts";
export * from "./waterfall/prepare-overview.ts";
export * from "./waterfall/prepare-rows.ts";
export * from "./waterfall/prepare-steps.ts";
export { idOf, readRowId, stepsIdOf } from "./waterfall/row-ids.ts";
export { findNext, searchSpans } from "./waterfall/search-spans.ts";
