/**
 * Which rows stand open. Before anyone has clicked: everything in a small trace; in an agent's run everything above the
 * turns, and within the costliest turn (or that of the selected span) the whole chain down to the engine, at most about
 * MAX_OPEN rows whatever the trace's size or depth. Or as a person folds all at once: to the turns, to a layer, not at all.
 */
import { compareDecimals } from "../format/decimal-text.ts";
import { childrenOf, type Forest, listAncestors, ROOT } from "./build-forest.ts";
import { readRowId } from "./row-ids.ts";

export const FOLDS = ["auto", "turns", "harness", "api", "none"] as const;
export type Fold = (typeof FOLDS)[number];

export type Folding = { fold: Fold; opened: ReadonlySet<string>; closed: ReadonlySet<string>; selected: number };

/** Of each node whether it is open, and whether the lane of its engine steps is opened to rows. */
export type Open = { nodes: Uint8Array; lanes: Uint8Array };

const MAX_OPEN = 60;
const TURN = "loop.turn";

export function isTurn({ skeleton, spans }: Forest, node: number): boolean {
  return node >= 0 && node < spans && skeleton.faces[skeleton.face[node] ?? 0]?.name === TURN;
}

/** The turn a node belongs to, itself included; ROOT where there is none. */
export const findTurn = (forest: Forest, node: number): number =>
  node < 0 ? ROOT : ([node, ...listAncestors(forest, node)].find((at) => isTurn(forest, at)) ?? ROOT);

export function chooseOpen(forest: Forest, { fold, opened, closed, selected }: Folding): Open {
  const nodes = new Uint8Array(forest.size);
  const lanes = new Uint8Array(forest.size);
  if (fold === "none") {
    nodes.fill(1);
    lanes.fill(1);
  } else if (fold === "auto") openByDefault(forest, selected, nodes);
  else if (fold === "turns") openTo(forest, nodes, (node) => isTurn(forest, node));
  else openTo(forest, nodes, isBelowLayer(forest, fold));
  if (selected >= 0) for (const ancestor of listAncestors(forest, selected)) nodes[ancestor] = 1;
  setAll(forest, opened, 1, { nodes, lanes });
  setAll(forest, closed, 0, { nodes, lanes });
  return { nodes, lanes };
}

function setAll(forest: Forest, ids: ReadonlySet<string>, value: 0 | 1, { nodes, lanes }: Open): void {
  for (const id of ids) {
    const { node, isLane } = readRowId(forest, id);
    if (node >= 0) (isLane ? lanes : nodes)[node] = value;
  }
}

/** Opens all but what is to be closed. */
function openTo(forest: Forest, nodes: Uint8Array, isClosed: (node: number) => boolean): void {
  for (let node = 0; node < forest.size; node += 1) nodes[node] = isClosed(node) ? 0 : 1;
}

const RANK: Readonly<Record<string, number>> = { harness: 0, api: 1, inference: 2 };

/** Closed is what leads to nothing but deeper layers. */
function isBelowLayer(forest: Forest, layer: string): (node: number) => boolean {
  const { skeleton, spans } = forest;
  const deepest = RANK[layer] ?? 0;
  const isDeeper = skeleton.faces.map((face) => (RANK[face.layer] ?? 0) > deepest);
  return (node) => childrenOf(forest, node).every((child) => child < spans && isDeeper[skeleton.face[child] ?? 0]);
}

function openByDefault(forest: Forest, selected: number, nodes: Uint8Array): void {
  const turns = forest.order.filter((node) => isTurn(forest, node));
  if (turns.length === 0) {
    const [root] = forest.roots;
    if (forest.size <= MAX_OPEN) nodes.fill(1);
    else if (root !== undefined && forest.roots.length <= MAX_OPEN) openSubtree(forest, root, nodes);
    return;
  }
  for (const turn of turns) {
    for (let at = forest.parents[turn] ?? ROOT; at >= 0 && nodes[at] === 0; at = forest.parents[at] ?? ROOT)
      nodes[at] = 1;
  }
  const own = findTurn(forest, selected);
  openSubtree(forest, own >= 0 ? own : findCostliest(forest, turns), nodes);
}

function findCostliest({ skeleton }: Forest, turns: Int32Array): number {
  const cost = (node: number): string => skeleton.costUsd.get(node) ?? "0";
  return turns.reduce((most, turn) => (compareDecimals(cost(turn), cost(most)) > 0 ? turn : most));
}

/** Opens a subtree level by level until the row budget is used. */
function openSubtree(forest: Forest, top: number, nodes: Uint8Array): void {
  const queue = [top];
  let rows = 1;
  for (const node of queue) {
    const own = childrenOf(forest, node);
    const shown = own.filter((child) => !isStep(forest, child)).length;
    if (rows + shown > MAX_OPEN) return;
    rows += shown;
    nodes[node] = 1;
    for (const child of own) queue.push(child);
  }
}

const STEP = "inference.decode.step";

/** A step of the engine without anything below: many of them are one lane. */
export function isStep({ skeleton, spans, below }: Forest, node: number): boolean {
  return node < spans && below[node] === 0 && skeleton.faces[skeleton.face[node] ?? 0]?.name === STEP;
}
