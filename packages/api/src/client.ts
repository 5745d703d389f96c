/**
 * A typed client of the Trace API over any way to send a request: HTTP for scripts and the CLI, in-process for web pages.
 * Answers are parsed with the API's own schemas; a problem becomes the CentspanError it was.
 */
import { CentspanError, ERRORS, type ErrorCode } from "@centspan/base";
import {
  callRowSchema,
  costRowSchema,
  keyRowSchema,
  logRowSchema,
  metricPointRowSchema,
  metricTotalRowSchema,
  outcomeCostRowSchema,
  outcomeRowSchema,
  sourceRowSchema,
  spanDetailSchema,
  traceDetailSchema,
  traceRowSchema,
} from "@centspan/model";
import { z } from "zod";
import { API_PREFIX } from "./trace-api.ts";
import { healthSchema } from "./use-cases/read-health.ts";

export type Query = Record<string, string | undefined>;
export type Send = (path: string) => Promise<Response>;

const listOf = <T extends z.ZodType>(row: T) => z.object({ data: z.array(row), nextCursor: z.string().nullable() });
const outcomesCost = z.object({ data: z.array(outcomeCostRowSchema), total: outcomeCostRowSchema });
const workspaceList = listOf(z.object({ id: z.string(), name: z.string(), createdAt: z.string() }));
const problem = z.object({ code: z.string(), detail: z.string(), field: z.string().optional() });

export type ApiClient = ReturnType<typeof createApiClient>;

export function createApiClient(send: Send) {
  const get = async <T extends z.ZodType>(schema: T, path: string, query: Query = {}): Promise<z.output<T>> => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
    const response = await send(`${API_PREFIX}${path}${search.size === 0 ? "" : `?${search}`}`);
    const body: unknown = await response.json().catch(() => null);
    // A degraded health answer is an answer, not a problem.
    if (response.ok || path === "/health") return schema.parse(body);
    throw toError(body, response.status);
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
    outcomesCost: (query: Query & { groupBy: string }) => get(outcomesCost, "/outcomes/cost", query),
    outcomes: (query: Query) => get(listOf(outcomeRowSchema), "/outcomes", query),
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
