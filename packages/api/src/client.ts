/**
 * A typed client of the Trace API over any way to send a request: HTTP for scripts and the CLI, in-process for web pages.
 * Answers are parsed with the API's own schemas; a problem becomes the CentspanError it was.
 */
import { CentspanError, ERRORS, type ErrorCode } from "@centspan/base";
import {
  auditRowSchema,
  type budgetInputSchema,
  budgetRowSchema,
  callRowSchema,
  costPreviewRowSchema,
  costRowSchema,
  keyRowSchema,
  logRowSchema,
  metricPointRowSchema,
  metricTotalRowSchema,
  outcomeCostRowSchema,
  outcomeRowSchema,
  type PreviewGroup,
  periodRowSchema,
  priceTermsRowSchema,
  type priceTermsSchema,
  type reconciliationInputSchema,
  reconciliationRowSchema,
  sourceRowSchema,
  spanDetailSchema,
  spendAnomalySchema,
  spendChangeSchema,
  spendForecastSchema,
  traceDetailSchema,
  traceRowSchema,
} from "@centspan/model";
import { z } from "zod";
import { API_PREFIX } from "./trace-api.ts";
import { healthSchema } from "./use-cases/read-health.ts";

export type Query = Record<string, string | undefined>;
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

const listOf = <T extends z.ZodType>(row: T) => z.object({ data: z.array(row), nextCursor: z.string().nullable() });
const outcomesCost = z.object({ data: z.array(outcomeCostRowSchema), total: outcomeCostRowSchema });
const workspaceList = listOf(z.object({ id: z.string(), name: z.string(), createdAt: z.string() }));
const timeZoneAnswer = z.object({ timeZone: z.string() });
const ratingAnswer = z.object({ ratingRunId: z.string(), changedCalls: z.int() });
const problem = z.object({ code: z.string(), detail: z.string(), field: z.string().optional() });

export type ApiClient = ReturnType<typeof createApiClient>;

export function createApiClient(send: Send) {
  const ask = (path: string, query: Query): Promise<Response> => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
    return send(`${API_PREFIX}${path}${search.size === 0 ? "" : `?${search}`}`);
  };
  const get = async <T extends z.ZodType>(schema: T, path: string, query: Query = {}): Promise<z.output<T>> => {
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
  const write = async <T extends z.ZodType>(
    schema: T,
    method: "POST" | "PUT",
    path: string,
    body: unknown,
  ): Promise<z.output<T>> => {
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
    span: (traceId: string, spanId: string) =>
      get(spanDetailSchema, `/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}`),
    logs: (query: Query = {}) => get(listOf(logRowSchema), "/logs", query),
    metrics: (query: Query = {}) => get(listOf(metricPointRowSchema), "/metrics", query),
    metricTotals: (query: Query = {}) => get(listOf(metricTotalRowSchema), "/metric-totals", query),
    sources: () => get(listOf(sourceRowSchema), "/sources"),
    calls: (query: Query = {}) => get(listOf(callRowSchema), "/calls", query),
    cost: (query: Query & { groupBy: string }) => get(listOf(costRowSchema), "/cost", query),
    costForecast: (query: Query) => get(spendForecastSchema, "/cost/forecast", query),
    costAnomalies: (query: Query) => get(listOf(spendAnomalySchema), "/cost/anomalies", query),
    costChange: (query: Query) => get(spendChangeSchema, "/cost/change", query),
    outcomesCost: (query: Query & { groupBy: string }) => get(outcomesCost, "/outcomes/cost", query),
    outcomes: (query: Query) => get(listOf(outcomeRowSchema), "/outcomes", query),
    periods: () => get(listOf(periodRowSchema), "/periods"),
    period: (period: string) => get(periodRowSchema, `/periods/${encodeURIComponent(period)}`),
    closePeriod: (period: string, body: { acceptUnknown: boolean }) =>
      write(periodRowSchema, "POST", `/periods/${encodeURIComponent(period)}/close`, body),
    assignUnallocated: (period: string, owner: string) =>
      write(periodRowSchema, "PUT", `/periods/${encodeURIComponent(period)}/owner`, { owner }),
    setBillingTimeZone: (timeZone: string) => write(timeZoneAnswer, "PUT", "/billing-time-zone", { timeZone }),
    /** The file as it comes, in pieces. */
    exportFocus: (query: Query & { version: string; period: string }) => download("/export/focus", query),
    reconcile: (body: z.input<typeof reconciliationInputSchema>) =>
      write(reconciliationRowSchema, "POST", "/reconciliations", body),
    priceTerms: () => get(priceTermsRowSchema, "/prices/terms"),
    addPriceTerms: (terms: z.input<typeof priceTermsSchema>) =>
      write(priceTermsRowSchema, "POST", "/prices/terms", terms),
    endContract: (id: string, to: string) =>
      write(priceTermsRowSchema, "PUT", `/prices/contracts/${encodeURIComponent(id)}/end`, { to }),
    previewPrices: (body: {
      from: string;
      to: string;
      groupBy?: PreviewGroup;
      terms?: z.input<typeof priceTermsSchema>;
    }) => write(listOf(costPreviewRowSchema), "POST", "/prices/preview", body),
    ratePrices: (body: { from: string; to: string }) => write(ratingAnswer, "POST", "/prices/rating-runs", body),
    audit: (query: Query = {}) => get(listOf(auditRowSchema), "/audit", query),
    budgets: () => get(listOf(budgetRowSchema), "/budgets"),
    createBudget: (budget: z.input<typeof budgetInputSchema>) => write(budgetRowSchema, "POST", "/budgets", budget),
    replaceBudget: (budgetId: string, budget: z.input<typeof budgetInputSchema>) =>
      write(budgetRowSchema, "PUT", `/budgets/${encodeURIComponent(budgetId)}`, budget),
    keys: () => get(listOf(keyRowSchema), "/keys"),
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
