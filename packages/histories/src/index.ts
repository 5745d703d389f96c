export { createHistoryImport, isSameLine } from "./local/import.ts";
export type * from "./local/types.ts";
export * from "./mini-swe-agent.ts";
export { historyFormats } from "./registry.gen.ts";
export * from "./swebench-stats.ts";
export * from "./trajectory.ts";
