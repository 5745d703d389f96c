/**
 * A typed client of the Trace API over any way to send a request: HTTP for scripts and the CLI, in-process for web pages.
 * Answers are parsed with the API's own schemas; a problem becomes the CentspanError it was.
 */
import { CentspanError, ERRORS, type ErrorCode } from "@centspan/base";
import {
  type AcceptancePolicy,
  acceptancePolicySchema,
  type approvalDecisionSchema,
  type approvalInputSchema,
  approvalRowSchema,
  auditRowSchema,
  balanceSchema,
  type budgetInputSchema,
  budgetRowSchema,
  callRowSchema,
  cheapestSchema,
  commitmentSchema,
  type commitmentsSchema,
  comparisonSchema,
  completionRuleSchema,
  costPreviewRowSchema,
  costRowSchema,
  type ExchangeRate,
  engineSpellRowSchema,
  evaluationSchema,
  evaluationSetSchema,
  logRowSchema,
  metricPointRowSchema,
  metricTotalRowSchema,
  occupancyRowSchema,
  outcomeCostRowSchema,
  type outcomeInputSchema,
  outcomeRowSchema,
  type PreviewGroup,
  periodRowSchema,
  priceTermsRowSchema,
  type priceTermsSchema,
  promptComparisonSchema,
  type Realised,
  type ReviewRate,
  rateCardSchema,
  ratingRunRowSchema,
  recommendationInputSchema,
  recommendationSchema,
  type reconciliationInputSchema,
  reconciliationRowSchema,
  returnsSchema,
  reviewRateSchema,
  runComparisonSchema,
  seatsAnswerSchema,
  simulationSchema,
  sourceRowSchema,
  spanDetailSchema,
  spanFactsSchema,
  spendAnomaliesSchema,
  spendChangeSchema,
  spendForecastSchema,
  type stepInputSchema,
  type studyInputSchema,
  studySchema,
  taskRowSchema,
  taskRunsRowSchema,
  traceDetailSchema,
  traceRowSchema,
  unlinkedSchema,
  unratedRowSchema,
  wasteCauseRowSchema,
  wasteFixRowSchema,
  wasteItemRowSchema,
  wasteSchema,
  workAnswerSchema,
} from "@centspan/model";
import { z } from "zod";
import { type Get, listOf, type Query, type Write } from "./client-parts.ts";
import { createSettingsClient } from "./client-settings.ts";
import { API_PREFIX } from "./trace-api.ts";
import { healthSchema } from "./use-cases/read-health.ts";
import { selfSchema } from "./use-cases/read-self.ts";

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

const outcomesCost = z.object({
  data: z.array(outcomeCostRowSchema),
  total: outcomeCostRowSchema,
  cheapest: cheapestSchema.nullable(),
});
const taskList = listOf(taskRowSchema).extend({ total: z.int() });
const taskRunsList = listOf(taskRunsRowSchema).extend({ total: z.int() });
const linkAnswer = z.object({ outcomeId: z.string(), tasks: z.array(z.string()) });
const approvalLink = approvalRowSchema.extend({ token: z.string(), path: z.string() });
const workspaceList = listOf(z.object({ id: z.string(), name: z.string(), createdAt: z.string() }));
const timeZoneAnswer = z.object({ timeZone: z.string() });
const endedBudget = z.object({ budgetId: z.string(), deleted: z.literal(true) });
const problem = z.object({ code: z.string(), detail: z.string(), field: z.string().optional() });

export type ApiClient = ReturnType<typeof createApiClient>;

export function createApiClient(send: Send) {
  const ask = (path: string, query: Query): Promise<Response> => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
    return send(`${API_PREFIX}${path}${search.size === 0 ? "" : `?${search}`}`);
  };
  const get: Get = async (schema, path, query = {}) => {
    const response = await ask(path, query);
    const body: unknown = await response.json().catch(() => null);
    // A degraded health answer is an answer, not a problem.
    if (response.ok || path === "/health") return schema.parse(body);
    throw toError(body, response.status);
  };
  async function* download(path: string, query: Query): AsyncGenerator<Uint8Array> {
    const response = await ask(path, query);
    if (!response.ok) throw toError(await response.json().catch(() => null), response.status);
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) yield piece.value;
  }
  const write: Write = async (schema, method, path, body) => {
    const headers = { "content-type": "application/json" };
    const response = await send(`${API_PREFIX}${path}`, { method, headers, body: JSON.stringify(body) });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return schema.parse(answer);
    throw toError(answer, response.status);
  };
  return {
    health: () => get(healthSchema, "/health"),
    traces: (query: Query = {}) => get(listOf(traceRowSchema), "/traces", query),
    trace: (traceId: string) => get(traceDetailSchema, `/traces/${encodeURIComponent(traceId)}`),
    compareRuns: (traceId: string, against: string) =>
      get(runComparisonSchema, `/traces/${encodeURIComponent(traceId)}/comparison`, { against }),
    /** What decodeSkeleton reads, in pieces. */
    skeleton: (traceId: string) => download(`/traces/${encodeURIComponent(traceId)}/skeleton`, {}),
    spanRows: (traceId: string, query: Query) =>
      get(listOf(spanFactsSchema), `/traces/${encodeURIComponent(traceId)}/spans`, query),
    span: (traceId: string, spanId: string) =>
      get(spanDetailSchema, `/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}`),
    comparePrompt: (traceId: string, spanId: string) =>
      get(promptComparisonSchema, `/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}/prompt`),
    logs: (query: Query = {}) => get(listOf(logRowSchema), "/logs", query),
    metrics: (query: Query = {}) => get(listOf(metricPointRowSchema), "/metrics", query),
    metricTotals: (query: Query = {}) => get(listOf(metricTotalRowSchema), "/metric-totals", query),
    sources: () => get(listOf(sourceRowSchema), "/sources"),
    calls: (query: Query = {}) => get(listOf(callRowSchema), "/calls", query),
    cost: (query: Query & { groupBy: string }) => get(listOf(costRowSchema), "/cost", query),
    costForecast: (query: Query) => get(spendForecastSchema, "/cost/forecast", query),
    costAnomalies: (query: Query) => get(spendAnomaliesSchema, "/cost/anomalies", query),
    costChange: (query: Query) => get(spendChangeSchema, "/cost/change", query),
    outcomesCost: (query: Query & { groupBy: string }) => get(outcomesCost, "/outcomes/cost", query),
    outcomeTasks: (query: Query = {}) => get(taskList, "/outcomes/tasks", query),
    taskRuns: (query: Query = {}) => get(taskRunsList, "/tasks", query),
    compareOutcomes: (query: Query) => get(comparisonSchema, "/outcomes/compare", query),
    outcomeReturns: (query: Query = {}) => get(returnsSchema, "/outcomes/returns", query),
    costOfWork: (query: Query = {}) => get(workAnswerSchema, "/outcomes/work", query),
    unlinkedOutcomes: (query: Query = {}) => get(unlinkedSchema, "/outcomes/unlinked", query),
    linkOutcome: (outcomeId: string, tasks: readonly string[]) =>
      write(linkAnswer, "POST", `/outcomes/${encodeURIComponent(outcomeId)}/link`, { tasks }),
    postOutcome: (outcome: z.input<typeof outcomeInputSchema>) => write(outcomeRowSchema, "POST", "/outcomes", outcome),
    askApproval: (asked: z.input<typeof approvalInputSchema>) =>
      write(approvalLink, "POST", "/outcomes/approvals", asked),
    approval: (token: string) => get(approvalRowSchema, `/approvals/${encodeURIComponent(token)}`),
    decideApproval: (token: string, decision: z.input<typeof approvalDecisionSchema>) =>
      write(approvalRowSchema, "POST", `/approvals/${encodeURIComponent(token)}`, decision),
    reviewRates: () => get(listOf(reviewRateSchema), "/review-rates"),
    setReviewRate: (rate: ReviewRate) => write(listOf(reviewRateSchema), "PUT", "/review-rates", rate),
    completionRules: () => get(listOf(completionRuleSchema), "/completion-rules"),
    createCompletionRule: (rule: z.input<typeof completionRuleSchema>) =>
      write(listOf(completionRuleSchema), "POST", "/completion-rules", rule),
    deleteCompletionRule: (name: string) =>
      write(listOf(completionRuleSchema), "DELETE", `/completion-rules/${encodeURIComponent(name)}`),
    evaluations: () => get(listOf(evaluationSetSchema), "/evaluations"),
    createEvaluation: (set: z.input<typeof evaluationSetSchema>) =>
      write(evaluationSetSchema, "POST", "/evaluations", set),
    evaluation: (name: string) => get(evaluationSchema, `/evaluations/${encodeURIComponent(name)}`),
    outcomes: (query: Query) => get(listOf(outcomeRowSchema), "/outcomes", query),
    waste: (query: Query & { groupBy: string }) => get(wasteSchema, "/waste", query),
    wasteTop: (query: Query = {}) => get(listOf(wasteFixRowSchema), "/waste/top", query),
    wasteItems: (query: Query = {}) => get(listOf(wasteItemRowSchema), "/waste/items", query),
    wasteCauses: () => get(listOf(wasteCauseRowSchema), "/waste/causes"),
    balance: (traceId: string) => get(balanceSchema, `/traces/${encodeURIComponent(traceId)}/balance`),
    unrated: () => get(listOf(unratedRowSchema), "/unrated"),
    periods: () => get(listOf(periodRowSchema), "/periods"),
    period: (period: string) => get(periodRowSchema, `/periods/${encodeURIComponent(period)}`),
    closePeriod: (period: string, body: { acceptUnknown: boolean }) =>
      write(periodRowSchema, "POST", `/periods/${encodeURIComponent(period)}/close`, body),
    assignUnallocated: (period: string, owner: string) =>
      write(periodRowSchema, "PUT", `/periods/${encodeURIComponent(period)}/owner`, { owner }),
    billingTimeZone: () => get(timeZoneAnswer, "/billing-time-zone"),
    setBillingTimeZone: (timeZone: string) => write(timeZoneAnswer, "PUT", "/billing-time-zone", { timeZone }),
    /** The file as it comes, in pieces. */
    exportFocus: (query: Query & { version: string; period: string }) => download("/export/focus", query),
    /** The same, for whoever passes it on. */
    exportWorkspace: async (table: string) => {
      const response = await ask(`/export/${encodeURIComponent(table)}`, {});
      if (!response.ok) throw toError(await response.json().catch(() => null), response.status);
      return response;
    },
    reconcile: (body: z.input<typeof reconciliationInputSchema>) =>
      write(reconciliationRowSchema, "POST", "/reconciliations", body),
    rateCards: () => get(listOf(rateCardSchema), "/prices/cards"),
    priceTerms: () => get(priceTermsRowSchema, "/prices/terms"),
    addPriceTerms: (terms: z.input<typeof priceTermsSchema>) =>
      write(priceTermsRowSchema, "POST", "/prices/terms", terms),
    endContract: (id: string, to: string) =>
      write(priceTermsRowSchema, "PUT", `/prices/contracts/${encodeURIComponent(id)}/end`, { to }),
    correctExchangeRate: ({ currency, from, ...body }: ExchangeRate) =>
      write(
        priceTermsRowSchema,
        "PUT",
        `/prices/exchange-rates/${encodeURIComponent(currency)}/${encodeURIComponent(from)}`,
        body,
      ),
    previewPrices: (body: {
      from: string;
      to: string;
      groupBy?: PreviewGroup;
      terms?: z.input<typeof priceTermsSchema>;
    }) => write(listOf(costPreviewRowSchema), "POST", "/prices/preview", body),
    ratePrices: (body: { from: string; to: string; correctClosed?: boolean }) =>
      write(ratingRunRowSchema, "POST", "/prices/rating-runs", body),
    occupancy: (query: { from: string; to: string }) => get(listOf(occupancyRowSchema), "/prices/occupancy", query),
    commitments: () => get(listOf(commitmentSchema), "/commitments"),
    addCommitments: (commitments: z.input<typeof commitmentsSchema>) =>
      write(listOf(commitmentSchema), "POST", "/commitments", { commitments }),
    endCommitment: (id: string, to: string) =>
      write(listOf(commitmentSchema), "PUT", `/commitments/${encodeURIComponent(id)}/end`, { to }),
    removeCommitment: (id: string) =>
      write(listOf(commitmentSchema), "DELETE", `/commitments/${encodeURIComponent(id)}`),
    self: () => get(selfSchema, "/self"),
    seats: () => get(seatsAnswerSchema, "/seats"),
    recommendations: (query: Query = {}) => get(listOf(recommendationSchema), "/recommendations", query),
    recommendation: (id: string) => get(recommendationSchema, `/recommendations/${encodeURIComponent(id)}`),
    proposeRecommendation: (input: z.input<typeof recommendationInputSchema>) =>
      write(recommendationSchema, "POST", "/recommendations", input),
    stepRecommendation: (
      id: string,
      step: "accept" | "reject" | "applied" | "withdraw",
      said: z.input<typeof stepInputSchema>,
    ) => write(recommendationSchema, "POST", `/recommendations/${encodeURIComponent(id)}/${step}`, said),
    verifyRecommendation: (id: string, said: z.input<typeof stepInputSchema> & { realised: Realised }) =>
      write(recommendationSchema, "POST", `/recommendations/${encodeURIComponent(id)}/verified`, said),
    engines: (query: Query = {}) => get(listOf(engineSpellRowSchema), "/engines", query),
    advice: (query: Query = {}) => get(listOf(recommendationInputSchema), "/advice", query),
    startStudy: (study: z.input<typeof studyInputSchema>) => write(studySchema, "POST", "/studies", { study }),
    studies: (query: Query = {}) => get(listOf(studySchema), "/studies", query),
    study: (id: string, query: Query = {}) => get(studySchema, `/studies/${encodeURIComponent(id)}`, query),
    cancelStudy: (id: string) => write(studySchema, "POST", `/studies/${encodeURIComponent(id)}/cancel`, {}),
    fileStudy: (id: string, filing: { at?: number; because?: string; traceIds?: readonly string[] } = {}) =>
      write(recommendationSchema, "POST", `/studies/${encodeURIComponent(id)}/file`, filing),
    acceptancePolicies: () => get(listOf(acceptancePolicySchema), "/acceptance-policies"),
    setAcceptancePolicy: ({ name, ...policy }: AcceptancePolicy) =>
      write(acceptancePolicySchema, "PUT", `/acceptance-policies/${encodeURIComponent(name)}`, policy),
    deleteAcceptancePolicy: (name: string) =>
      write(z.object({ name: z.string() }), "DELETE", `/acceptance-policies/${encodeURIComponent(name)}`),
    simulate: (asked: { config?: Record<string, unknown>; calls?: Query; traffic?: number }) =>
      write(simulationSchema, "POST", "/simulations", asked),
    simulation: (id: string) => get(simulationSchema, `/simulations/${encodeURIComponent(id)}`),
    audit: (query: Query = {}) => get(listOf(auditRowSchema), "/audit", query),
    budgets: () => get(listOf(budgetRowSchema), "/budgets"),
    createBudget: (budget: z.input<typeof budgetInputSchema>) => write(budgetRowSchema, "POST", "/budgets", budget),
    replaceBudget: (budgetId: string, budget: z.input<typeof budgetInputSchema>) =>
      write(budgetRowSchema, "PUT", `/budgets/${encodeURIComponent(budgetId)}`, budget),
    deleteBudget: (budgetId: string) => write(endedBudget, "DELETE", `/budgets/${encodeURIComponent(budgetId)}`),
    ...createSettingsClient(get, write),
    workspaces: async () => (await get(workspaceList, "/workspaces")).data,
  };
}

const isErrorCode = (code: string): code is ErrorCode => code in ERRORS;

function toError(body: unknown, status: number): CentspanError {
  const parsed = problem.safeParse(body);
  if (!parsed.success || !isErrorCode(parsed.data.code)) {
    return new CentspanError("upstream_failed", `the Trace API answered ${status} without a problem document`);
  }
  const { code, detail, field } = parsed.data;
  return new CentspanError(code, detail, field === undefined ? {} : { field });
}
