/** Finds spans by what a person types: a part of a name or of a service, or an id from its beginning. */
import { readSpanId } from "@centspan/model";
import type { Forest } from "./build-forest.ts";

/** Of each node whether it matches, and how many do. Names are looked at once, however many spans have them. */
export function searchSpans(forest: Forest, query: string): { matches: Uint8Array; count: number } {
  const { skeleton } = forest;
  const wanted = query.trim().toLowerCase();
  const matches = new Uint8Array(forest.size);
  if (wanted === "") return { matches, count: 0 };
  const faces = skeleton.faces.map(({ name, service }) => `${name}\n${service}`.toLowerCase().includes(wanted));
  const isId = /^[0-9a-f]{4,16}$/.test(wanted);
  let count = 0;
  for (let node = 0; node < forest.spans; node += 1) {
    const found = faces[skeleton.face[node] ?? 0] || (isId && readSpanId(skeleton, node).startsWith(wanted));
    if (!found) continue;
    matches[node] = 1;
    count += 1;
  }
  return { matches, count };
}

/** The next node in the order of rows that is chosen, from where one stands, round the end; -1 where none is. */
export function findNext(forest: Forest, from: number, step: 1 | -1, isChosen: (node: number) => boolean): number {
  const { order, placeOf, size } = forest;
  const start = from < 0 ? (step === 1 ? -1 : 0) : (placeOf[from] ?? 0);
  for (let far = 1; far <= size; far += 1) {
    const node = order[(((start + step * far) % size) + size) % size];
    if (node !== undefined && isChosen(node)) return node;
  }
  return -1;
}
