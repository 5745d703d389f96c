export { type ApiClient, createApiClient, type Query } from "./client.ts";
export { describeApi } from "./openapi.ts";
export type { ApiDeps } from "./route.ts";
export { ROUTES } from "./routes.ts";
export { API_PREFIX, createTraceApi, type TraceApi } from "./trace-api.ts";
export type { Health } from "./use-cases/read-health.ts";
