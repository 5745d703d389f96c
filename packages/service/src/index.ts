export * from "./config.ts";
export * from "./lifecycle.ts";
export * from "./server.ts";
