/**
 * A trace's skeleton → forest. Whatever arrives, every span is in it exactly once and nothing recurses; nodes are numbers in
 * flat lists, so that a hundred thousand cost milliseconds. Order of work: parents → clock skew → times → order of rows.
 * Broken parents are kept and flagged: a missing parent becomes one placeholder shared by its children, the first member of
 * a ring becomes a root, an end before the start becomes a zero-length span.
 * Times here are for places on a screen: nanoseconds from the start as floats, exact for traces of up to 104 days.
 */
import { readMissing, type TraceSkeleton } from "@centspan/model";
import { correctSkew, type SkewedHost, type SkewView } from "./correct-skew.ts";
import { FLAGS } from "./flags.ts";

export const ROOT = -1;

/** Children of node `n`, in the order of rows: `items` from `from[n]` to before `from[n + 1]`. */
export type Children = { from: Int32Array; items: Int32Array };

export type Forest = {
  skeleton: TraceSkeleton;
  /** The spans by their numbers, then one node for each missing parent. */
  size: number;
  spans: number;
  parents: Int32Array;
  roots: Int32Array;
  children: Children;
  /** Nodes as rows follow each other, parents before children, and where each is. */
  order: Int32Array;
  placeOf: Int32Array;
  depths: Int32Array;
  /** How many are below each node. */
  below: Int32Array;
  startsNs: Float64Array;
  endsNs: Float64Array;
  flags: Uint8Array;
  /** Bounds of all nodes. */
  startNs: number;
  endNs: number;
  moved: readonly SkewedHost[];
};

export function buildForest(skeleton: TraceSkeleton, skew: SkewView): Forest {
  const spans = skeleton.face.length;
  const size = spans + skeleton.missing.length;
  const flags = readFlags(skeleton, size);
  const parents = findParents(skeleton, size, flags);
  const unsorted = listChildren(parents);
  const { shiftsNs, moved } = correctSkew(skeleton, parents, skew);
  const { startsNs, endsNs } = readTimes(skeleton, size, shiftsNs, parents);
  for (const [node, shift] of shiftsNs.entries()) if (shift !== 0) flags[node] = (flags[node] ?? 0) | FLAGS.moved;
  const compare = (a: number, b: number): number =>
    (startsNs[a] ?? 0) - (startsNs[b] ?? 0) || (endsNs[a] ?? 0) - (endsNs[b] ?? 0) || a - b;
  // Numbers are in order of start already, but for those of placeholders and of spans that were moved.
  const roots = unsorted.roots.sort(compare);
  if (moved.length > 0) sortChildren(unsorted.children, compare);
  return {
    skeleton,
    size,
    spans,
    parents,
    roots,
    children: unsorted.children,
    ...orderNodes(parents, roots, unsorted.children),
    startsNs,
    endsNs,
    flags,
    startNs: size === 0 ? 0 : startsNs.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY),
    endNs: size === 0 ? 0 : endsNs.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY),
    moved,
  };
}

export const childrenOf = ({ children }: Pick<Forest, "children">, node: number): Int32Array =>
  children.items.subarray(children.from[node], children.from[node + 1]);

function readFlags(skeleton: TraceSkeleton, size: number): Uint8Array {
  const flags = new Uint8Array(size);
  const isError = skeleton.faces.map(({ status }) => status === "error");
  for (const [node, place] of skeleton.face.entries()) {
    if (isError[place]) flags[node] = FLAGS.error;
    if ((skeleton.durationsNs[node] ?? 0n) < 0n) flags[node] = (flags[node] ?? 0) | FLAGS.unfinished;
  }
  for (const node of skeleton.conflicts) flags[node] = (flags[node] ?? 0) | FLAGS.duplicate_id;
  flags.fill(FLAGS.missing_parent, skeleton.face.length);
  return flags;
}

/** Every way up ends at a root. */
function findParents(skeleton: TraceSkeleton, size: number, flags: Uint8Array): Int32Array {
  const spans = skeleton.face.length;
  const parents = new Int32Array(size).fill(ROOT);
  for (const [node, parent] of skeleton.parents.entries()) {
    const place = readMissing(parent);
    if (place >= 0) parents[node] = spans + place;
    else if (parent !== node) parents[node] = parent;
    else flags[node] = (flags[node] ?? 0) | FLAGS.self_parent;
  }
  for (const ring of listRings(parents)) {
    parents[ring] = ROOT;
    flags[ring] = (flags[ring] ?? 0) | FLAGS.cycle;
  }
  return parents;
}

/** Walks up from every node once; a way that meets itself has closed a ring, whose earliest member is told. */
function listRings(parents: Int32Array): number[] {
  const wayOf = new Int32Array(parents.length).fill(-1);
  const earliest: number[] = [];
  for (let start = 0; start < parents.length; start += 1) {
    let at = start;
    while (at >= 0 && wayOf[at] === -1) {
      wayOf[at] = start;
      at = parents[at] ?? ROOT;
    }
    if (at < 0 || wayOf[at] !== start) continue;
    let first = at;
    for (let next = parents[at] ?? ROOT; next !== at && next >= 0; next = parents[next] ?? ROOT) {
      first = Math.min(first, next);
    }
    earliest.push(first);
  }
  return earliest;
}

function listChildren(parents: Int32Array): { roots: Int32Array; children: Children } {
  const from = new Int32Array(parents.length + 1);
  let roots = 0;
  for (const parent of parents) {
    if (parent < 0) roots += 1;
    else from[parent + 1] = (from[parent + 1] ?? 0) + 1;
  }
  for (let node = 1; node < from.length; node += 1) from[node] = (from[node] ?? 0) + (from[node - 1] ?? 0);
  const next = from.slice();
  const items = new Int32Array(parents.length - roots);
  const rootList = new Int32Array(roots);
  let root = 0;
  for (const [node, parent] of parents.entries()) {
    if (parent < 0) {
      rootList[root] = node;
      root += 1;
      continue;
    }
    const at = next[parent] ?? 0;
    items[at] = node;
    next[parent] = at + 1;
  }
  return { roots: rootList, children: { from, items } };
}

function sortChildren({ from, items }: Children, compare: (a: number, b: number) => number): void {
  for (let node = 0; node + 1 < from.length; node += 1) {
    const [start = 0, end = 0] = [from[node], from[node + 1]];
    if (end - start > 1) items.subarray(start, end).sort(compare);
  }
}

function readTimes(skeleton: TraceSkeleton, size: number, shiftsNs: Float64Array, parents: Int32Array) {
  const spans = skeleton.face.length;
  const startsNs = new Float64Array(size).fill(Number.POSITIVE_INFINITY, spans);
  const endsNs = new Float64Array(size).fill(Number.NEGATIVE_INFINITY, spans);
  for (let node = 0; node < spans; node += 1) {
    const start = Number(skeleton.startsNs[node] ?? 0n) + (shiftsNs[node] ?? 0);
    startsNs[node] = start;
    endsNs[node] = start + Math.max(0, Number(skeleton.durationsNs[node] ?? 0n));
    const parent = parents[node] ?? ROOT;
    if (parent < spans) continue;
    startsNs[parent] = Math.min(startsNs[parent] ?? start, start);
    endsNs[parent] = Math.max(endsNs[parent] ?? start, endsNs[node] ?? start);
  }
  return { startsNs, endsNs };
}

/** Depth first, without recursion. */
function orderNodes(parents: Int32Array, roots: Int32Array, children: Children) {
  const order = new Int32Array(parents.length);
  const placeOf = new Int32Array(parents.length);
  const depths = new Int32Array(parents.length);
  const below = new Int32Array(parents.length);
  const stack = Array.from(roots).reverse();
  let place = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const parent = parents[node] ?? ROOT;
    order[place] = node;
    placeOf[node] = place;
    depths[node] = parent < 0 ? 0 : (depths[parent] ?? 0) + 1;
    place += 1;
    const own = childrenOf({ children }, node);
    for (let at = own.length - 1; at >= 0; at -= 1) stack.push(own[at] ?? ROOT);
  }
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const node = order[at] ?? 0;
    const parent = parents[node] ?? ROOT;
    if (parent >= 0) below[parent] = (below[parent] ?? 0) + (below[node] ?? 0) + 1;
  }
  return { order, placeOf, depths, below };
}

export function listAncestors({ parents }: Pick<Forest, "parents">, node: number): number[] {
  const ancestors: number[] = [];
  for (let at = parents[node] ?? ROOT; at >= 0; at = parents[at] ?? ROOT) ancestors.push(at);
  return ancestors;
}
