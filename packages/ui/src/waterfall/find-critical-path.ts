/**
 * The critical path: the chain of spans that the end of the run waited for, walked back from the last-finishing span.
 * Must not: recurse. A child counts when it ends no later than the point reached (`<=`, so that back-to-back children
 * all count); a child that outlives its parent is cut at the parent's end.
 */
import { childrenOf, type Forest } from "./build-forest.ts";

/** Until when each node on the path was waited for; NaN of the others. */
export function findCriticalPath(forest: Forest): Float64Array {
  const { startsNs, endsNs } = forest;
  const until = new Float64Array(forest.size).fill(Number.NaN);
  const cutEnd = (node: number, limit: number): number => Math.min(endsNs[node] ?? 0, limit);
  const stack: number[] = [];
  const waitFor = (nodes: Int32Array, limit: number): void => {
    const last = (node: number): number => cutEnd(node, limit);
    const candidates = nodes.filter((node) => (startsNs[node] ?? 0) <= limit);
    candidates.sort((a, b) => last(b) - last(a) || (startsNs[a] ?? 0) - (startsNs[b] ?? 0));
    let reached = limit;
    for (const node of candidates) {
      if (last(node) > reached) continue;
      until[node] = last(node);
      stack.push(node);
      reached = Math.min(reached, startsNs[node] ?? 0);
    }
  };
  waitFor(forest.roots, forest.endNs);
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const own = childrenOf(forest, node);
    if (own.length > 0) waitFor(own, until[node] ?? 0);
  }
  return until;
}
