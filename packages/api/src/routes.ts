/** The table of the Trace API. Order is the order of the document. */
import { outcomeFeeds, outcomeSources } from "@centspan/outcomes";
import type { Route } from "./route.ts";
import {
  deleteAcceptancePolicy,
  listAcceptancePolicies,
  setAcceptancePolicy,
} from "./use-cases/acceptance-policies.ts";
import { askApproval, decideApproval, readApproval } from "./use-cases/approvals.ts";
import { createBudget, deleteBudget, listBudgets, replaceBudget } from "./use-cases/budgets.ts";
import { addCommitments, endCommitment, listCommitments, removeCommitment } from "./use-cases/commitments.ts";
import { compareOutcomes } from "./use-cases/compare-outcomes.ts";
import { comparePromptBefore } from "./use-cases/compare-prompts.ts";
import { compareTwoRuns } from "./use-cases/compare-runs.ts";
import { costOfWork } from "./use-cases/cost-of-work.ts";
import { costOutcomes } from "./use-cases/cost-outcomes.ts";
import { createEvaluation, listEvaluations, readEvaluation } from "./use-cases/evaluations.ts";
import { explainCostChange } from "./use-cases/explain-cost-change.ts";
import { exportFocus } from "./use-cases/export-focus.ts";
import { forecastCosts } from "./use-cases/forecast-costs.ts";
import { createKey, listKeys, revokeKey, setKeyRules } from "./use-cases/keys.ts";
import { linkOutcome, listUnlinked } from "./use-cases/link-outcomes.ts";
import { listAdvice } from "./use-cases/list-advice.ts";
import { listAudit } from "./use-cases/list-audit.ts";
import { listCalls } from "./use-cases/list-calls.ts";
import { listCostAnomalies } from "./use-cases/list-cost-anomalies.ts";
import { listEngines } from "./use-cases/list-engines.ts";
import { listLogs } from "./use-cases/list-logs.ts";
import { listMetricPoints } from "./use-cases/list-metric-points.ts";
import { listOccupancy } from "./use-cases/list-occupancy.ts";
import { listOutcomes } from "./use-cases/list-outcomes.ts";
import { listSeats } from "./use-cases/list-seats.ts";
import { listSources } from "./use-cases/list-sources.ts";
import { listSpanRows } from "./use-cases/list-span-rows.ts";
import { listTaskRuns } from "./use-cases/list-task-runs.ts";
import { listTasks } from "./use-cases/list-tasks.ts";
import { listTraces } from "./use-cases/list-traces.ts";
import { listUnrated } from "./use-cases/list-unrated.ts";
import { listWorkspaces } from "./use-cases/list-workspaces.ts";
import {
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  setMemberRole,
  withdrawInvitation,
} from "./use-cases/members.ts";
import { readReturns } from "./use-cases/outcome-returns.ts";
import {
  createCompletionRule,
  deleteCompletionRule,
  listCompletionRules,
  listReviewRates,
  setReviewRate,
} from "./use-cases/outcome-settings.ts";
import {
  assignUnallocated,
  closePeriod,
  listPeriods,
  readBillingTimeZone,
  readPeriod,
  setBillingTimeZone,
} from "./use-cases/periods.ts";
import { createDeliveryRoute } from "./use-cases/post-delivery.ts";
import { postOutcome } from "./use-cases/post-outcome.ts";
import { createReportRoute } from "./use-cases/post-report.ts";
import {
  addPriceTerms,
  correctExchangeRate,
  endContract,
  listPriceTerms,
  listRateCards,
  previewPrices,
  ratePrices,
} from "./use-cases/prices.ts";
import { readSelf } from "./use-cases/read-self.ts";
import { readSkeleton } from "./use-cases/read-skeleton.ts";
import { readSpan } from "./use-cases/read-span.ts";
import { readTrace } from "./use-cases/read-trace.ts";
import {
  listRecommendations,
  proposeRecommendation,
  readRecommendation,
  recommendationSteps,
  verifyRecommendation,
} from "./use-cases/recommendations.ts";
import { reconcileInvoice } from "./use-cases/reconcile-invoice.ts";
import { readSimulation, simulateCalls } from "./use-cases/simulations.ts";
import { cancelStudy, fileStudy, listStudies, readStudy, startStudy } from "./use-cases/studies.ts";
import { sumCosts } from "./use-cases/sum-costs.ts";
import { sumMetrics } from "./use-cases/sum-metrics.ts";
import { listFixes, listWaste, listWasteCauses, readBalance, sumWaste } from "./use-cases/waste.ts";
import { deleteWorkspace, exportWorkspace } from "./use-cases/workspace-data.ts";
import { listRetention, listTeams, readWebhook, saveTeam, setRetention } from "./use-cases/workspace-settings.ts";

export const ROUTES: readonly Route[] = [
  listTraces,
  listTaskRuns,
  readTrace,
  readSkeleton,
  compareTwoRuns,
  listSpanRows,
  readSpan,
  comparePromptBefore,
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
  listTasks,
  compareOutcomes,
  readReturns,
  costOfWork,
  listUnlinked,
  sumWaste,
  listFixes,
  listWaste,
  listWasteCauses,
  readBalance,
  listOutcomes,
  postOutcome,
  linkOutcome,
  askApproval,
  readApproval,
  decideApproval,
  listReviewRates,
  setReviewRate,
  listCompletionRules,
  createCompletionRule,
  deleteCompletionRule,
  listEvaluations,
  createEvaluation,
  readEvaluation,
  ...outcomeSources.map(createReportRoute),
  ...outcomeFeeds.map(createDeliveryRoute),
  readSelf,
  listKeys,
  createKey,
  revokeKey,
  setKeyRules,
  readWebhook,
  listTeams,
  saveTeam,
  listRetention,
  setRetention,
  listMembers,
  setMemberRole,
  removeMember,
  listInvitations,
  inviteMember,
  withdrawInvitation,
  listPeriods,
  readPeriod,
  closePeriod,
  listUnrated,
  assignUnallocated,
  readBillingTimeZone,
  setBillingTimeZone,
  exportFocus,
  exportWorkspace,
  deleteWorkspace,
  reconcileInvoice,
  listRateCards,
  listPriceTerms,
  addPriceTerms,
  endContract,
  correctExchangeRate,
  previewPrices,
  ratePrices,
  listOccupancy,
  listCommitments,
  addCommitments,
  listSeats,
  endCommitment,
  removeCommitment,
  listAudit,
  listBudgets,
  createBudget,
  replaceBudget,
  deleteBudget,
  listRecommendations,
  proposeRecommendation,
  readRecommendation,
  ...recommendationSteps,
  verifyRecommendation,
  listEngines,
  listAdvice,
  startStudy,
  listStudies,
  readStudy,
  cancelStudy,
  fileStudy,
  listAcceptancePolicies,
  setAcceptancePolicy,
  deleteAcceptancePolicy,
  simulateCalls,
  readSimulation,
  listWorkspaces,
];
