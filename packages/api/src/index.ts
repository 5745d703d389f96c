export { type ApiClient, createApiClient } from "./client.ts";
export type { Query } from "./client-parts.ts";
export { createMcpEndpoint, type McpEndpoint } from "./mcp.ts";
export { describeApi } from "./openapi.ts";
export { readCollectorStatus } from "./read-collector-status.ts";
export { ROUTES } from "./routes.ts";
export { createTraceApi, type TraceApi } from "./trace-api.ts";
