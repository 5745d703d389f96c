export * from "./byte-budget.ts";
export * from "./config.ts";
export * from "./credentials.ts";
export * from "./lifecycle.ts";
export * from "./server.ts";
