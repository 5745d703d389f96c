/**
 * Spans → forest. Whatever arrives, every span is in it exactly once and nothing recurses.
 * Broken parents are kept and flagged: a missing parent becomes one placeholder shared by its children, a span that is
 * its own ancestor becomes a root, an end before the start becomes a zero-length span.
 */
import type { SpanRow } from "@centspan/model";
import { parseInstantNs } from "../format/format-instant.ts";

export type FlagKind = "missing_parent" | "self_parent" | "cycle" | "unfinished" | "duplicate_id" | "error";
/** `count`: children of a missing parent, members of a cycle. */
export type Flag = { kind: FlagKind; count?: number };

export type TreeNode = {
  /** Unique in the tree: the span id, a missing id behind "missing:", a repeated id with its ordinal. */
  key: string;
  /** Null for the placeholder of a missing parent. */
  span: SpanRow | null;
  startNs: bigint;
  endNs: bigint;
  flags: Flag[];
  parent: TreeNode | null;
  children: TreeNode[];
};

export type SpanTree = {
  roots: TreeNode[];
  /** Every node, parents before children, in the order of rows. */
  ordered: TreeNode[];
  byKey: ReadonlyMap<string, TreeNode>;
  startNs: bigint;
  endNs: bigint;
};

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By start, then by end (what was over in an instant came first), then by id. */
function compareNodes(a: TreeNode, b: TreeNode): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1;
  if (a.endNs !== b.endNs) return a.endNs < b.endNs ? -1 : 1;
  return compareText(a.key, b.key);
}

function createNode(span: SpanRow, key: string): TreeNode {
  const startNs = parseInstantNs(span.startedAt);
  const durationNs = BigInt(span.durationNs);
  const flags: Flag[] = [];
  if (durationNs < 0n) flags.push({ kind: "unfinished" });
  if (span.status === "error") flags.push({ kind: "error" });
  return {
    key,
    span,
    startNs,
    endNs: startNs + (durationNs < 0n ? 0n : durationNs),
    flags,
    parent: null,
    children: [],
  };
}

/** One node per span; of spans under one id, later ones get their own key and children stay with the first. */
function createNodes(spans: readonly SpanRow[]): Map<string, TreeNode> {
  const nodes = new Map<string, TreeNode>();
  const seen = new Map<string, number>();
  for (const span of spans) {
    const ordinal = (seen.get(span.spanId) ?? 0) + 1;
    seen.set(span.spanId, ordinal);
    const key = ordinal === 1 ? span.spanId : `${span.spanId}#${ordinal}`;
    const node = createNode(span, key);
    if (key !== span.spanId) node.flags.push({ kind: "duplicate_id" });
    nodes.set(key, node);
  }
  return nodes;
}

/** Walks up from every node once; where the walk meets itself, the earliest member of that ring becomes a root. */
function breakCycles(nodes: ReadonlyMap<string, TreeNode>): void {
  const settled = new Set<TreeNode>();
  for (const start of nodes.values()) {
    const path: TreeNode[] = [];
    const onPath = new Set<TreeNode>();
    let node: TreeNode | null = start;
    while (node !== null && !settled.has(node) && !onPath.has(node)) {
      path.push(node);
      onPath.add(node);
      node = node.parent;
    }
    if (node !== null && onPath.has(node)) {
      const ring = path.slice(path.indexOf(node));
      const first = ring.reduce((earliest, member) => (compareNodes(member, earliest) < 0 ? member : earliest));
      first.parent = null;
      first.flags.push({ kind: "cycle", count: ring.length });
    }
    for (const member of path) settled.add(member);
  }
}

/** Sets every node's parent; returns the placeholders that had to be made. */
function linkParents(nodes: ReadonlyMap<string, TreeNode>): TreeNode[] {
  const missing = new Map<string, TreeNode>();
  for (const node of nodes.values()) {
    const { spanId, parentSpanId } = node.span ?? { spanId: "", parentSpanId: "" };
    if (parentSpanId === "") continue;
    if (parentSpanId === spanId) {
      node.flags.push({ kind: "self_parent" });
      continue;
    }
    const parent = nodes.get(parentSpanId);
    if (parent !== undefined) {
      node.parent = parent;
      continue;
    }
    const placeholder = missing.get(parentSpanId) ?? createPlaceholder(parentSpanId, node);
    missing.set(parentSpanId, placeholder);
    if (node.startNs < placeholder.startNs) placeholder.startNs = node.startNs;
    if (node.endNs > placeholder.endNs) placeholder.endNs = node.endNs;
    node.parent = placeholder;
  }
  return [...missing.values()];
}

const createPlaceholder = (missingId: string, child: TreeNode): TreeNode => ({
  key: `missing:${missingId}`,
  span: null,
  startNs: child.startNs,
  endNs: child.endNs,
  flags: [],
  parent: null,
  children: [],
});

/** Depth first without recursion, children in row order. */
function orderNodes(roots: readonly TreeNode[]): TreeNode[] {
  const ordered: TreeNode[] = [];
  const stack = roots.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    ordered.push(node);
    for (let i = node.children.length - 1; i >= 0; i -= 1) {
      const child = node.children[i];
      if (child !== undefined) stack.push(child);
    }
  }
  return ordered;
}

/** The forest of one trace's own spans; spans of other traces (`linked`) don't belong in it. */
export function buildTree(spans: readonly SpanRow[]): SpanTree {
  const nodes = createNodes(spans.filter((span) => !span.linked));
  const placeholders = linkParents(nodes);
  breakCycles(nodes);
  const all = [...nodes.values(), ...placeholders];
  const roots: TreeNode[] = [];
  for (const node of all) (node.parent?.children ?? roots).push(node);
  for (const node of all) node.children.sort(compareNodes);
  roots.sort(compareNodes);
  for (const placeholder of placeholders) {
    placeholder.flags.push({ kind: "missing_parent", count: placeholder.children.length });
  }
  let startNs = roots[0]?.startNs ?? 0n;
  let endNs = roots[0]?.endNs ?? 0n;
  for (const node of all) {
    if (node.startNs < startNs) startNs = node.startNs;
    if (node.endNs > endNs) endNs = node.endNs;
  }
  return { roots, ordered: orderNodes(roots), byKey: new Map(all.map((node) => [node.key, node])), startNs, endNs };
}
