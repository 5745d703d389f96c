/**
 * The critical path: the chain of spans that the end of the run waited for, walked back from the last-finishing span.
 * Must not: recurse. A child counts when it ends no later than the point reached (`<=`, so that back-to-back children
 * all count); a child that outlives its parent is cut at the parent's end.
 */
import type { SpanTree, TreeNode } from "./build-tree.ts";

export type Segment = { fromNs: bigint; toNs: bigint };

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Children that the parent waited for, last first, each with the instant up to which it was waited for. */
function chooseWaitedFor(children: readonly TreeNode[], untilNs: bigint): { node: TreeNode; untilNs: bigint }[] {
  const candidates = children
    .filter((node) => node.startNs <= untilNs)
    .map((node) => ({ node, untilNs: earlier(node.endNs, untilNs) }))
    .sort((a, b) => {
      if (a.untilNs !== b.untilNs) return a.untilNs > b.untilNs ? -1 : 1;
      return a.node.startNs < b.node.startNs ? -1 : a.node.startNs > b.node.startNs ? 1 : 0;
    });
  const chosen: typeof candidates = [];
  let reachedNs = untilNs;
  for (const candidate of candidates) {
    if (candidate.untilNs > reachedNs) continue;
    chosen.push(candidate);
    reachedNs = earlier(reachedNs, candidate.node.startNs);
  }
  return chosen;
}

/** Key of each span on the path → the part of it that lies on the path. */
export function findCriticalPath(tree: SpanTree): Map<string, Segment> {
  const path = new Map<string, Segment>();
  const stack = chooseWaitedFor(tree.roots, tree.endNs);
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    path.set(item.node.key, { fromNs: item.node.startNs, toNs: item.untilNs });
    // One by one: an argument list has an end, the children of a span have none.
    for (const next of chooseWaitedFor(item.node.children, item.untilNs)) stack.push(next);
  }
  return path;
}
