"use client";
/** Where a person stands among the rows, and how they get elsewhere: what is folded away on the way is opened. */
import { type Forest, findRow, idOf, listAncestors, placeBar, stepsIdOf } from "@centspan/ui";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { View } from "../waterfall-state.ts";
import { ROW_PX } from "./row-view.tsx";
import type { Model } from "./use-model.ts";
import type { SetView } from "./use-view.ts";

/** Rows that stay in sight beyond the one that is gone to; the head covers one. */
const AIR_ROWS = 3;

export type Travel = {
  activeRow: number;
  /** Stands on a row, which comes into sight. */
  moveTo(row: number): void;
  /** Stands on a node's row, wherever it is folded away. */
  goTo(node: number): void;
};

function openWay(view: View, forest: Forest, node: number): View {
  const way = listAncestors(forest, node);
  const ids = [...way.map((at) => idOf(forest, at)), ...way.slice(0, 1).map((at) => stepsIdOf(forest, at))];
  const opened = new Set([...view.opened, ...ids]);
  const closed = new Set([...view.closed].filter((id) => !opened.has(id)));
  const isInSight =
    view.window === null || placeBar(forest.startsNs[node] ?? 0, forest.endsNs[node] ?? 0, view.window) !== null;
  return { ...view, opened, closed, window: isInSight ? view.window : null };
}

export function useTravel(
  model: Model,
  setView: SetView,
  scroller: RefObject<HTMLDivElement | null>,
  start: number,
): Travel {
  const [activeRow, setActiveRow] = useState(0);
  const wanted = useRef<number | null>(start < 0 ? null : start);
  const { forest, context } = model;
  const { rows } = context;
  const show = useCallback(
    (row: number): void => {
      const element = scroller.current;
      setActiveRow(row);
      if (element === null) return;
      const top = row * ROW_PX;
      const room = element.clientHeight - 2 * ROW_PX;
      if (top < element.scrollTop) element.scrollTop = Math.max(0, top - AIR_ROWS * ROW_PX);
      else if (top > element.scrollTop + room) element.scrollTop = top - room + AIR_ROWS * ROW_PX;
    },
    [scroller],
  );
  useEffect(() => {
    if (wanted.current === null) return;
    const row = findRow(rows, wanted.current);
    if (row < 0) return;
    wanted.current = null;
    show(row);
  }, [rows, show]);
  return {
    activeRow: Math.min(activeRow, Math.max(0, rows.count - 1)),
    moveTo: (row) => show(Math.max(0, Math.min(rows.count - 1, row))),
    goTo(node) {
      const row = findRow(rows, node);
      if (row >= 0) show(row);
      else wanted.current = node;
      setView((view) => openWay(view, forest, node));
    },
  };
}
