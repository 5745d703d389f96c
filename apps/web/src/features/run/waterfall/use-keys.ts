"use client";
/** What keys and buttons do to the view. */
import { FLAGS, findNext, findRow, panWindow, ROOT, type TimeWindow, windowOf, zoomWindow } from "@centspan/ui";
import type { KeyboardEvent } from "react";
import type { View } from "../waterfall-state.ts";
import { type Action, chooseAction } from "./choose-action.ts";
import { isSame } from "./use-gestures.ts";
import type { Model } from "./use-model.ts";
import type { Travel } from "./use-travel.ts";
import type { SetView } from "./use-view.ts";

type Hands = {
  model: Model;
  view: View;
  setView: SetView;
  travel: Travel;
  matches: Uint8Array;
  roomRows: number;
  fold(row: number): void;
  select(id: string | null): void;
  focusSearch(): void;
  toggleCritical(): void;
  toggleHelp(): void;
};

const ZOOM = 0.6;
const PAN = 0.25;
const ODD =
  FLAGS.missing_parent | FLAGS.self_parent | FLAGS.cycle | FLAGS.unfinished | FLAGS.duplicate_id | FLAGS.error;

export type Act = ((action: Action) => void) & { onKey(event: KeyboardEvent): void };

export function useKeys(hands: Hands): Act {
  const { model, view, travel, fold, select } = hands;
  const { forest, context, whole, window } = model;
  const { activeRow } = travel;
  const row = model.rowAt(activeRow);
  const node = row?.node ?? ROOT;
  const setWindow = (next: TimeWindow): void =>
    hands.setView((before) => ({ ...before, window: isSame(next, whole) ? null : next }));
  const jump = (step: 1 | -1, isChosen: (node: number) => boolean): void => {
    const found = findNext(forest, node, step, isChosen);
    if (found >= 0) travel.goTo(found);
  };
  const toParent = (): void => {
    const parent = row?.kind === "span" ? (forest.parents[node] ?? ROOT) : node;
    if (parent >= 0) travel.moveTo(findRow(context.rows, parent));
  };
  const actions: Record<Action, () => void> = {
    down: () => travel.moveTo(activeRow + 1),
    up: () => travel.moveTo(activeRow - 1),
    pageDown: () => travel.moveTo(activeRow + hands.roomRows),
    pageUp: () => travel.moveTo(activeRow - hands.roomRows),
    first: () => travel.moveTo(0),
    last: () => travel.moveTo(context.rows.count - 1),
    unfold: () => (row?.expandable === true && !row.expanded ? fold(activeRow) : travel.moveTo(activeRow + 1)),
    fold: () => (row?.expandable === true && row.expanded ? fold(activeRow) : toParent()),
    select: () => (row?.kind === "steps" ? fold(activeRow) : row?.spanId && select(row.spanId)),
    close: () => (view.selected === null ? hands.setView((before) => ({ ...before, find: "" })) : select(null)),
    search: hands.focusSearch,
    nextMatch: () => jump(1, (at) => hands.matches[at] === 1),
    previousMatch: () => jump(-1, (at) => hands.matches[at] === 1),
    nextRepeated: () => jump(1, (at) => context.wasted.has(at)),
    nextOdd: () => jump(1, (at) => ((forest.flags[at] ?? 0) & ODD) !== 0),
    critical: hands.toggleCritical,
    zoomIn: () => setWindow(zoomWindow(window, whole, ZOOM, 0.5)),
    zoomOut: () => setWindow(zoomWindow(window, whole, 1 / ZOOM, 0.5)),
    zoomWhole: () => setWindow(whole),
    zoomRow: () => setWindow(windowOf(forest, node)),
    panLeft: () => setWindow(panWindow(window, whole, -PAN)),
    panRight: () => setWindow(panWindow(window, whole, PAN)),
    help: hands.toggleHelp,
  };
  return Object.assign((action: Action): void => actions[action](), {
    onKey(event: KeyboardEvent): void {
      const action = chooseAction(event);
      if (action === null) return;
      event.preventDefault();
      actions[action]();
    },
  });
}
