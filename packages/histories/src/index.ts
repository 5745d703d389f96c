export * from "./mini-swe-agent.ts";
export * from "./swebench-stats.ts";
export * from "./trajectory.ts";
