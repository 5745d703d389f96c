import { orderJobs } from "./order.js";

/** Jobs in waves: each wave can run at once after the ones before it. */
export function groupIntoWaves(graph) {
  const level = new Map();
  const waves = [];
  for (const job of orderJobs(graph)) {
    const needs = graph.needsOf(job).map((needed) => level.get(needed) + 1);
    const index = Math.max(0, ...needs);
    level.set(job, index);
    waves[index] ??= [];
    waves[index].push(job);
  }
  return waves;
}
