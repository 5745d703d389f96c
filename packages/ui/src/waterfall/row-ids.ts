/** What rows are called in an address: the span's id, a missing id behind "missing:". */
import { findSpan, readSpanId } from "@centspan/model";
import type { Forest } from "./build-forest.ts";

const MISSING = "missing:";
const STEPS = "steps:";

export function idOf({ skeleton, spans }: Forest, node: number): string {
  return node < spans ? readSpanId(skeleton, node) : `${MISSING}${skeleton.missing[node - spans] ?? ""}`;
}

/** Of the lane of engine steps below a node. */
export const stepsIdOf = (forest: Forest, node: number): string => `${STEPS}${idOf(forest, node)}`;

/** The node is -1 where there is none of that id. */
export function readRowId({ skeleton, spans }: Forest, id: string): { node: number; isLane: boolean } {
  const isLane = id.startsWith(STEPS);
  const own = isLane ? id.slice(STEPS.length) : id;
  if (!own.startsWith(MISSING)) return { node: findSpan(skeleton, own), isLane };
  const place = skeleton.missing.indexOf(own.slice(MISSING.length));
  return { node: place < 0 ? -1 : spans + place, isLane };
}
