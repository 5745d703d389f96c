export * from "./describe-vocabulary.ts";
export * from "./metrics.ts";
export * from "./setup.ts";
export * from "./vocabulary.ts";
