/** The harness's parts by themselves, for benchmarks: what a run is made of, and the switches. */
export { CODE_LIMITS, runCode } from "./code-mode/run-code.ts";
export { createMechanisms, MECHANISM_NAMES, type Mechanism, type Mechanisms } from "./mechanisms.ts";
export { type ReplayResult, replayTrajectory } from "./replay/replay-trajectory.ts";
export { openUnconfined } from "./sandbox/unconfined.ts";
export { openToolbox } from "./tools/discovery/toolbox.ts";
export { connectServers } from "./tools/mcp/connect-server.ts";
export { openToolContext, type Tool } from "./tools/tool.ts";
export { createResponsesClient } from "./transport/responses-client.ts";
