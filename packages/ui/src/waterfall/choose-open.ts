/**
 * Which rows stand open before anyone has clicked: everything in a small trace; in an agent's run everything above the
 * turns, and within the costliest turn (or that of the selected span) the whole chain down to the engine.
 * Invariant: at most about MAX_OPEN rows by default, whatever the trace's size or depth.
 */
import { compareDecimals } from "../format/decimal-text.ts";
import type { SpanTree, TreeNode } from "./build-tree.ts";

const MAX_OPEN = 60;

export const isTurn = (node: TreeNode): boolean => node.span?.name === "loop.turn";

export function listAncestors(node: TreeNode | null): TreeNode[] {
  const ancestors: TreeNode[] = [];
  for (let at = node?.parent ?? null; at !== null; at = at.parent) ancestors.push(at);
  return ancestors;
}

/** The turn a node belongs to, itself included. */
export const findTurn = (node: TreeNode | null): TreeNode | null =>
  node === null ? null : ([node, ...listAncestors(node)].find(isTurn) ?? null);

function findCostliest(turns: readonly TreeNode[]): TreeNode | null {
  const cost = (node: TreeNode): string => node.span?.costUsd ?? "0";
  return turns.reduce<TreeNode | null>(
    (most, turn) => (most === null || compareDecimals(cost(turn), cost(most)) > 0 ? turn : most),
    null,
  );
}

/** Opens a subtree level by level until the row budget is used. */
function openSubtree(top: TreeNode, open: Set<string>): void {
  const queue = [top];
  let rows = 1;
  for (let i = 0; i < queue.length; i += 1) {
    const node = queue[i];
    if (node === undefined || rows + node.children.length > MAX_OPEN) return;
    rows += node.children.length;
    open.add(node.key);
    queue.push(...node.children);
  }
}

export function chooseOpen(tree: SpanTree, selected: TreeNode | null): Set<string> {
  const open = new Set<string>();
  const turns = tree.ordered.filter(isTurn);
  if (turns.length === 0) {
    if (tree.ordered.length <= MAX_OPEN) for (const node of tree.ordered) open.add(node.key);
    else if (tree.roots.length <= MAX_OPEN) for (const root of tree.roots.slice(0, 1)) openSubtree(root, open);
  } else {
    for (const turn of turns) {
      for (let at = turn.parent; at !== null && !open.has(at.key); at = at.parent) open.add(at.key);
    }
    const shown = findTurn(selected) ?? findCostliest(turns);
    if (shown !== null) openSubtree(shown, open);
  }
  for (const ancestor of listAncestors(selected)) open.add(ancestor.key);
  return open;
}
