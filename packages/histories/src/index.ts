export type * from "./local/types.ts";
export * from "./mini-swe-agent.ts";
export * from "./swebench-stats.ts";
export * from "./trajectory.ts";
