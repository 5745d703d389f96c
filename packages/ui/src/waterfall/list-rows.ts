/**
 * The rows that are open, in order: every span whose ancestors are all open, and below an open node a lane for its engine
 * steps, in place of their rows until it is opened too. Numbers alone: a hundred thousand rows are listed in milliseconds.
 */
import { childrenOf, type Forest, ROOT } from "./build-forest.ts";
import { isStep, type Open } from "./choose-open.ts";

/** `steps`: a lane of a node's own children. `linkedSteps`: of steps elsewhere that it links to. */
export const ROW_KINDS = ["span", "steps", "linkedSteps"] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** `nodes[i]` is what row `i` is of, `kinds[i]` the place of its kind in ROW_KINDS. */
export type Rows = { count: number; nodes: Int32Array; kinds: Uint8Array };

/** Fewer than that are rows, like any other spans. */
const LEAST_STEPS = 2;
const LINKING = "inference.decode";

/** Of each node how many of its children are engine steps, where those are a lane. */
export function countSteps(forest: Forest): Int32Array {
  const steps = new Int32Array(forest.size);
  for (let node = 0; node < forest.spans; node += 1) {
    const parent = forest.parents[node] ?? ROOT;
    if (parent >= 0 && isStep(forest, node)) steps[parent] = (steps[parent] ?? 0) + 1;
  }
  return steps.map((count) => (count < LEAST_STEPS ? 0 : count));
}

/** Steps elsewhere that a decode span links to. */
export function countLinkedSteps({ skeleton, spans }: Forest, node: number): number {
  if (node >= spans || skeleton.faces[skeleton.face[node] ?? 0]?.name !== LINKING) return 0;
  return skeleton.links.get(node) ?? 0;
}

export function listRows(forest: Forest, open: Open, steps: Int32Array): Rows {
  // No node has both lanes: its steps are its own or another's.
  const nodes = new Int32Array(forest.size * 2);
  const kinds = new Uint8Array(forest.size * 2);
  let count = 0;
  const add = (node: number, kind: RowKind): void => {
    nodes[count] = node;
    kinds[count] = ROW_KINDS.indexOf(kind);
    count += 1;
  };
  for (let place = 0; place < forest.size; place += 1) {
    const node = forest.order[place] ?? 0;
    const parent = forest.parents[node] ?? ROOT;
    if (parent >= 0 && steps[parent] !== 0 && open.lanes[parent] === 0 && isStep(forest, node)) continue;
    add(node, "span");
    if (open.nodes[node] === 0) {
      place += forest.below[node] ?? 0;
      continue;
    }
    if (steps[node] !== 0) add(node, "steps");
    else if (countLinkedSteps(forest, node) > 0) add(node, "linkedSteps");
  }
  return { count, nodes: nodes.subarray(0, count), kinds: kinds.subarray(0, count) };
}

/** Where a node's own row is; -1 where it is folded away. */
export function findRow(rows: Rows, node: number): number {
  for (let row = 0; row < rows.count; row += 1) if (rows.nodes[row] === node && rows.kinds[row] === 0) return row;
  return -1;
}

export const hasRowsBelow = (forest: Forest, steps: Int32Array, node: number): boolean =>
  childrenOf(forest, node).length > 0 || steps[node] !== 0 || countLinkedSteps(forest, node) > 0;
