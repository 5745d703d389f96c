export * from "./kv-cache.ts";
export * from "./serving-core.ts";
export * from "./serving-types.ts";
export * from "./simulate.ts";
export * from "./step-time.ts";
