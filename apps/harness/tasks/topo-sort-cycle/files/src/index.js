export * from "./errors.js";
export { JobGraph } from "./graph.js";
export { orderJobs } from "./order.js";
export { groupIntoWaves } from "./waves.js";
