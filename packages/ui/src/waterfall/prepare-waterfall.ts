/**
 * Waterfall rows and geometry as a pure function of spans and view state; rendering decides nothing.
 * Invariants: every own span is counted once; positions are percentages of the shown window; at most `maxRows` rows come
 * back, however many are open. Order of work: forest → critical path → open rows → window → geometry.
 */
import type { SpanRow } from "@centspan/model";
import { buildTree, type Flag, type SpanTree, type TreeNode } from "./build-tree.ts";
import { chooseOpen, findTurn, isTurn } from "./choose-open.ts";
import { chooseTimeTicks } from "./choose-ticks.ts";
import { describeSpan, labelSpan, type Note } from "./describe-span.ts";
import { findCriticalPath, type Segment } from "./find-critical-path.ts";
import { indexSteps, prepareLane, type StepLane } from "./prepare-lane.ts";

export type WaterfallView = {
  /** Keys a person opened or closed; all others stand as `chooseOpen` has them. */
  opened: ReadonlySet<string>;
  closed: ReadonlySet<string>;
  selected: string | null;
  /** Key of the span whose time fills the axis; "all" for the whole run; null: the turn of the selected span. */
  zoom: string | null;
  firstRow: number;
  maxRows: number;
};

export type Bar = { leftPct: number; widthPct: number; clippedLeft: boolean; clippedRight: boolean };

export type WaterfallRow = {
  key: string;
  spanId: string | null;
  traceId: string | null;
  label: string;
  layer: string;
  depth: number;
  expandable: boolean;
  expanded: boolean;
  /** Spans below this one. */
  descendants: number;
  bar: Bar | null;
  /** Where the bar would be when it lies outside the window. */
  outside: "before" | "after" | null;
  critical: Bar | null;
  durationNs: bigint;
  costUsd: string | null;
  note: Note | null;
  flags: Flag[];
  selected: boolean;
  lane: StepLane | null;
};

export type OverviewMark = {
  key: string;
  kind: "turn" | "call" | "tool";
  leftPct: number;
  widthPct: number;
  error: boolean;
};

export type Waterfall = {
  rows: WaterfallRow[];
  totalRows: number;
  firstRow: number;
  spans: number;
  linkedSpans: number;
  startNs: bigint;
  endNs: bigint;
  window: { fromNs: bigint; toNs: bigint; key: string | null };
  ticks: { offsetNs: bigint; leftPct: number }[];
  overview: OverviewMark[];
  overviewWindow: Bar | null;
  flags: Flag[];
};

const MAX_MARKS = 600;

/** Descendants per node, from the leaves up: children come after their parents in `ordered`. */
function countDescendants(tree: SpanTree): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of tree.ordered.toReversed()) {
    const own = counts.get(node.key) ?? 0;
    counts.set(node.key, own);
    if (node.parent !== null) counts.set(node.parent.key, (counts.get(node.parent.key) ?? 0) + own + 1);
  }
  return counts;
}

/** Nodes whose ancestors are all open, in row order, with their depth. */
function listVisible(tree: SpanTree, isOpen: (node: TreeNode) => boolean): { node: TreeNode; depth: number }[] {
  const visible = new Map<TreeNode, number>();
  for (const node of tree.ordered) {
    const above = node.parent === null ? -1 : visible.get(node.parent);
    if (above === undefined || (node.parent !== null && !isOpen(node.parent))) continue;
    visible.set(node, above + 1);
  }
  return [...visible].map(([node, depth]) => ({ node, depth }));
}

function chooseWindow(tree: SpanTree, view: WaterfallView, selected: TreeNode | null): Waterfall["window"] {
  const whole = { fromNs: tree.startNs, toNs: tree.endNs, key: null };
  if (view.zoom === "all") return whole;
  const node = view.zoom === null ? findTurn(selected) : tree.byKey.get(view.zoom);
  if (node === undefined || node === null || node.endNs === node.startNs) return whole;
  const margin = (node.endNs - node.startNs) / 50n;
  const fromNs = node.startNs - margin < tree.startNs ? tree.startNs : node.startNs - margin;
  const toNs = node.endNs + margin > tree.endNs ? tree.endNs : node.endNs + margin;
  return { fromNs, toNs, key: node.key };
}

/** Null when the segment lies wholly outside the window. */
function placeBar(segment: Segment, window: Segment): Bar | null {
  if (segment.toNs < window.fromNs || segment.fromNs > window.toNs) return null;
  const length = Number(window.toNs - window.fromNs) || 1;
  const position = (atNs: bigint): number => Math.min(100, Math.max(0, (Number(atNs - window.fromNs) / length) * 100));
  const leftPct = position(segment.fromNs);
  return {
    leftPct,
    widthPct: position(segment.toNs) - leftPct,
    clippedLeft: segment.fromNs < window.fromNs,
    clippedRight: segment.toNs > window.toNs,
  };
}

function prepareOverview(tree: SpanTree): OverviewMark[] {
  const kindOf = (node: TreeNode): OverviewMark["kind"] | null => {
    const name = node.span?.name ?? "";
    if (isTurn(node)) return "turn";
    if (/^(chat|embeddings) /.test(name)) return "call";
    return name.startsWith("execute_tool") ? "tool" : null;
  };
  const whole = { fromNs: tree.startNs, toNs: tree.endNs };
  const marks: OverviewMark[] = [];
  for (const node of tree.ordered) {
    const kind = kindOf(node);
    const bar = kind === null ? null : placeBar({ fromNs: node.startNs, toNs: node.endNs }, whole);
    if (kind === null || bar === null) continue;
    const error = node.flags.some((flag) => flag.kind === "error");
    marks.push({ key: node.key, kind, leftPct: bar.leftPct, widthPct: bar.widthPct, error });
    if (marks.length === MAX_MARKS) break;
  }
  return marks;
}

type RowContext = {
  view: WaterfallView;
  window: Segment;
  critical: ReadonlyMap<string, Segment>;
  descendants: ReadonlyMap<string, number>;
  steps: ReadonlyMap<string, SpanRow>;
  isOpen: (node: TreeNode) => boolean;
};

function prepareRow(node: TreeNode, depth: number, context: RowContext): WaterfallRow {
  const { span } = node;
  const bar = placeBar({ fromNs: node.startNs, toNs: node.endNs }, context.window);
  const critical = context.critical.get(node.key);
  const lane = span === null ? null : prepareLane(span, context.steps);
  return {
    key: node.key,
    spanId: span?.spanId ?? null,
    traceId: span?.traceId ?? null,
    label: span === null ? node.key.slice("missing:".length) : labelSpan(span),
    layer: span?.layer ?? "",
    depth,
    expandable: node.children.length > 0 || lane !== null,
    expanded: context.isOpen(node),
    descendants: context.descendants.get(node.key) ?? 0,
    bar,
    outside: bar !== null ? null : node.endNs < context.window.fromNs ? "before" : "after",
    critical: critical === undefined ? null : placeBar(critical, context.window),
    durationNs: node.endNs - node.startNs,
    costUsd: span?.costUsd ?? null,
    note: span === null ? null : describeSpan(span),
    flags: node.flags,
    selected: context.view.selected !== null && context.view.selected === node.key,
    lane: context.isOpen(node) ? lane : null,
  };
}

export function prepareWaterfall(spans: readonly SpanRow[], view: WaterfallView): Waterfall {
  const tree = buildTree(spans);
  const selected = view.selected === null ? null : (tree.byKey.get(view.selected) ?? null);
  const open = chooseOpen(tree, selected);
  const isOpen = ({ key }: TreeNode): boolean => !view.closed.has(key) && (view.opened.has(key) || open.has(key));
  const visible = listVisible(tree, isOpen);
  const window = chooseWindow(tree, view, selected);
  const firstRow = Math.min(Math.max(0, view.firstRow), Math.max(0, visible.length - 1));
  const context: RowContext = {
    view,
    window,
    critical: findCriticalPath(tree),
    descendants: countDescendants(tree),
    steps: indexSteps(spans),
    isOpen,
  };
  const length = Number(window.toNs - window.fromNs) || 1;
  const fromOffset = window.fromNs - tree.startNs;
  return {
    rows: visible.slice(firstRow, firstRow + view.maxRows).map(({ node, depth }) => prepareRow(node, depth, context)),
    totalRows: visible.length,
    firstRow,
    spans: tree.ordered.filter((node) => node.span !== null).length,
    linkedSpans: context.steps.size,
    startNs: tree.startNs,
    endNs: tree.endNs,
    window,
    ticks: chooseTimeTicks(fromOffset, window.toNs - tree.startNs, 6).map((offsetNs) => ({
      offsetNs,
      leftPct: (Number(offsetNs - fromOffset) / length) * 100,
    })),
    overview: prepareOverview(tree),
    overviewWindow: window.key === null ? null : placeBar(window, { fromNs: tree.startNs, toNs: tree.endNs }),
    flags: tree.ordered.flatMap((node) => node.flags),
  };
}
