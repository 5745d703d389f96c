/** The table of the Trace API. Order is the order of the document. */
import { outcomeSources } from "@centspan/outcomes";
import type { Route } from "./route.ts";
import { createBudget, deleteBudget, listBudgets, replaceBudget } from "./use-cases/budgets.ts";
import { costOutcomes } from "./use-cases/cost-outcomes.ts";
import { explainCostChange } from "./use-cases/explain-cost-change.ts";
import { exportFocus } from "./use-cases/export-focus.ts";
import { forecastCosts } from "./use-cases/forecast-costs.ts";
import { createKey, listKeys, revokeKey, setKeyRules } from "./use-cases/keys.ts";
import { listAudit } from "./use-cases/list-audit.ts";
import { listCalls } from "./use-cases/list-calls.ts";
import { listCostAnomalies } from "./use-cases/list-cost-anomalies.ts";
import { listLogs } from "./use-cases/list-logs.ts";
import { listMetricPoints } from "./use-cases/list-metric-points.ts";
import { listOutcomes } from "./use-cases/list-outcomes.ts";
import { listSources } from "./use-cases/list-sources.ts";
import { listTraces } from "./use-cases/list-traces.ts";
import { listWorkspaces } from "./use-cases/list-workspaces.ts";
import { assignUnallocated, closePeriod, listPeriods, readPeriod, setBillingTimeZone } from "./use-cases/periods.ts";
import { postOutcome } from "./use-cases/post-outcome.ts";
import { createReportRoute } from "./use-cases/post-report.ts";
import { addPriceTerms, endContract, listPriceTerms, previewPrices, ratePrices } from "./use-cases/prices.ts";
import { readSpan } from "./use-cases/read-span.ts";
import { readTrace } from "./use-cases/read-trace.ts";
import { reconcileInvoice } from "./use-cases/reconcile-invoice.ts";
import { sumCosts } from "./use-cases/sum-costs.ts";
import { sumMetrics } from "./use-cases/sum-metrics.ts";

export const ROUTES: readonly Route[] = [
  listTraces,
  readTrace,
  readSpan,
  listLogs,
  listMetricPoints,
  sumMetrics,
  listSources,
  listCalls,
  sumCosts,
  forecastCosts,
  listCostAnomalies,
  explainCostChange,
  costOutcomes,
  listOutcomes,
  postOutcome,
  ...outcomeSources.map(createReportRoute),
  listKeys,
  createKey,
  revokeKey,
  setKeyRules,
  listPeriods,
  readPeriod,
  closePeriod,
  assignUnallocated,
  setBillingTimeZone,
  exportFocus,
  reconcileInvoice,
  listPriceTerms,
  addPriceTerms,
  endContract,
  previewPrices,
  ratePrices,
  listAudit,
  listBudgets,
  createBudget,
  replaceBudget,
  deleteBudget,
  listWorkspaces,
];
