/**
 * Rows of a waterfall and their geometry, for as many as are in sight; rendering decides nothing. Positions are percentages
 * of the window. Of rows that may be a hundred thousand, each is made when it is looked at.
 */
import { addDecimals } from "../format/decimal-text.ts";
import { childrenOf, type Forest, ROOT } from "./build-forest.ts";
import type { Open } from "./choose-open.ts";
import { chooseTimeTicks } from "./choose-ticks.ts";
import { type FlagKind, listFlags } from "./flags.ts";
import { hasRowsBelow, ROW_KINDS, type RowKind, type Rows } from "./list-rows.ts";
import { idOf, stepsIdOf } from "./row-ids.ts";

export type TimeWindow = { fromNs: number; toNs: number };
export type Bar = { leftPct: number; widthPct: number; clippedLeft: boolean; clippedRight: boolean };

export type WaterfallRow = {
  node: number;
  kind: RowKind;
  /** The row's name in an address. */
  id: string;
  /** Null of a missing parent. */
  spanId: string | null;
  label: string;
  layer: string;
  service: string;
  host: string;
  depth: number;
  expandable: boolean;
  expanded: boolean;
  /** Spans below; of a lane its steps. */
  below: number;
  bar: Bar | null;
  /** Where the bar would be when it lies outside the window. */
  outside: "before" | "after" | null;
  critical: Bar | null;
  durationNs: bigint;
  costUsd: string | null;
  wasteUsd: string | null;
  /** Itself, not only below it. */
  wasted: boolean;
  flags: FlagKind[];
};

export type RowContext = {
  forest: Forest;
  rows: Rows;
  open: Open;
  steps: Int32Array;
  criticalUntilNs: Float64Array;
  wasted: ReadonlySet<number>;
  window: TimeWindow;
};

export const wholeWindow = ({ startNs, endNs }: Forest): TimeWindow => ({ fromNs: startNs, toNs: endNs });

/** Null when the segment lies wholly outside the window. */
export function placeBar(fromNs: number, toNs: number, window: TimeWindow): Bar | null {
  if (toNs < window.fromNs || fromNs > window.toNs) return null;
  const length = window.toNs - window.fromNs || 1;
  const position = (at: number): number => Math.min(100, Math.max(0, ((at - window.fromNs) / length) * 100));
  const leftPct = position(fromNs);
  return {
    leftPct,
    widthPct: position(toNs) - leftPct,
    clippedLeft: fromNs < window.fromNs,
    clippedRight: toNs > window.toNs,
  };
}

/** "loop.turn 18": the name, with the turn's number where the name alone would repeat. */
function labelNode({ skeleton, spans }: Forest, node: number): string {
  if (node >= spans) return skeleton.missing[node - spans] ?? "";
  const name = skeleton.faces[skeleton.face[node] ?? 0]?.name ?? "";
  const turn = skeleton.turns.get(node);
  return turn === undefined ? name : `${name} ${turn}`;
}

function readDuration({ skeleton, spans, startsNs, endsNs }: Forest, node: number): bigint {
  if (node >= spans) return BigInt(Math.round((endsNs[node] ?? 0) - (startsNs[node] ?? 0)));
  const durationNs = skeleton.durationsNs[node] ?? 0n;
  return durationNs < 0n ? 0n : durationNs;
}

export function prepareRow(context: RowContext, row: number): WaterfallRow | null {
  const { forest, rows, open, steps, window, criticalUntilNs } = context;
  const node = rows.nodes[row];
  if (node === undefined) return null;
  const { skeleton } = forest;
  const kind = ROW_KINDS[rows.kinds[row] ?? 0] ?? "span";
  const isSpan = kind === "span";
  const face = node < forest.spans ? skeleton.faces[skeleton.face[node] ?? 0] : undefined;
  const [startNs, endNs] = [forest.startsNs[node] ?? 0, forest.endsNs[node] ?? 0];
  const untilNs = criticalUntilNs[node] ?? Number.NaN;
  const bar = placeBar(startNs, endNs, window);
  return {
    node,
    kind,
    id: isSpan ? idOf(forest, node) : stepsIdOf(forest, node),
    spanId: face === undefined ? null : idOf(forest, node),
    label: labelNode(forest, node),
    layer: face?.layer ?? "",
    service: face?.service ?? "",
    host: face?.host ?? "",
    depth: (forest.depths[node] ?? 0) + (isSpan ? 0 : 1),
    expandable: isSpan ? hasRowsBelow(forest, steps, node) : kind === "steps",
    expanded: (isSpan ? open.nodes : open.lanes)[node] === 1,
    below: isSpan ? (forest.below[node] ?? 0) : (steps[node] ?? 0) || (skeleton.links.get(node) ?? 0),
    bar,
    outside: bar !== null ? null : endNs < window.fromNs ? "before" : "after",
    critical: isSpan && !Number.isNaN(untilNs) ? placeBar(startNs, untilNs, window) : null,
    durationNs: readDuration(forest, node),
    costUsd: isSpan ? readAmount(forest, skeleton.costUsd, node) : null,
    wasteUsd: isSpan ? readAmount(forest, skeleton.wasteUsd, node) : null,
    wasted: isSpan && context.wasted.has(node),
    flags: isSpan ? listFlags(forest.flags[node] ?? 0) : [],
  };
}

/** A placeholder's is what its children's come to. */
function readAmount(forest: Forest, amounts: ReadonlyMap<number, string>, node: number): string | null {
  if (node < forest.spans) return amounts.get(node) ?? null;
  const below = Array.from(childrenOf(forest, node)).flatMap((child) => amounts.get(child) ?? []);
  return below.length === 0 ? null : addDecimals(below);
}

export function prepareTicks({ fromNs, toNs }: TimeWindow, startNs: number, most: number) {
  const [from, to] = [BigInt(Math.round(fromNs - startNs)), BigInt(Math.round(toNs - startNs))];
  const length = Number(to - from) || 1;
  return chooseTimeTicks(from, to, most).map((offsetNs) => ({
    offsetNs,
    leftPct: (Number(offsetNs - from) / length) * 100,
  }));
}

/** The window around a node with some air beside it; the whole trace where it takes no time. */
export function windowOf(forest: Forest, node: number): TimeWindow {
  const whole = wholeWindow(forest);
  const [fromNs, toNs] = [forest.startsNs[node] ?? 0, forest.endsNs[node] ?? 0];
  if (node === ROOT || toNs <= fromNs) return whole;
  const air = (toNs - fromNs) / 50;
  return { fromNs: Math.max(whole.fromNs, fromNs - air), toNs: Math.min(whole.toNs, toNs + air) };
}

const LEAST_WINDOW_NS = 10;

/** Larger or smaller about a place that stays where it is (0 left, 1 right), within the whole. */
export function zoomWindow(window: TimeWindow, whole: TimeWindow, factor: number, place: number): TimeWindow {
  const length = window.toNs - window.fromNs;
  const most = whole.toNs - whole.fromNs;
  const wanted = Math.min(most, Math.max(Math.min(LEAST_WINDOW_NS, most), length * factor));
  const fromNs = window.fromNs + (length - wanted) * place;
  return moveInto(fromNs, wanted, whole);
}

/** By so many lengths of it to the right. */
export const panWindow = (window: TimeWindow, whole: TimeWindow, lengths: number): TimeWindow =>
  moveInto(window.fromNs + (window.toNs - window.fromNs) * lengths, window.toNs - window.fromNs, whole);

function moveInto(fromNs: number, length: number, whole: TimeWindow): TimeWindow {
  const start = Math.max(whole.fromNs, Math.min(whole.toNs - length, fromNs));
  return { fromNs: start, toNs: start + length };
}
