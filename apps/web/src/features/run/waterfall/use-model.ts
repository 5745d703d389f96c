"use client";
/** A trace as its waterfall needs it, each part worked out again only where what it is made of has changed. */
import type { TraceSkeleton } from "@centspan/model";
import {
  buildForest,
  chooseOpen,
  countSteps,
  type Forest,
  findCriticalPath,
  listRows,
  type OverviewMark,
  prepareOverview,
  prepareRow,
  type RowContext,
  readRowId,
  type TimeWindow,
  type WaterfallRow,
  wholeWindow,
} from "@centspan/ui";
import { useMemo, useState } from "react";
import type { View } from "../waterfall-state.ts";

export type Model = {
  forest: Forest;
  context: RowContext;
  whole: TimeWindow;
  window: TimeWindow;
  overview: readonly OverviewMark[];
  /** Made when it is first looked at. */
  rowAt(row: number): WaterfallRow | null;
};

export function useModel(skeleton: TraceSkeleton, view: View): Model {
  const { skew, fold, opened, closed } = view;
  // What a person came for is in sight; where they go from there does not fold rows under their hands.
  const [arrivedAt] = useState(view.selected);
  const forest = useMemo(() => buildForest(skeleton, skew), [skeleton, skew]);
  const steps = useMemo(() => countSteps(forest), [forest]);
  const criticalUntilNs = useMemo(() => findCriticalPath(forest), [forest]);
  const wasted = useMemo(() => new Set(skeleton.wasted), [skeleton]);
  const overview = useMemo(() => prepareOverview(forest, wasted), [forest, wasted]);
  const open = useMemo(() => {
    const selected = arrivedAt === null ? -1 : readRowId(forest, arrivedAt).node;
    return chooseOpen(forest, { fold, opened, closed, selected });
  }, [forest, fold, opened, closed, arrivedAt]);
  const rows = useMemo(() => listRows(forest, open, steps), [forest, open, steps]);
  const whole = useMemo(() => wholeWindow(forest), [forest]);
  const window = view.window ?? whole;
  return useMemo(() => {
    const context = { forest, rows, open, steps, criticalUntilNs, wasted, window };
    const made = new Map<number, WaterfallRow | null>();
    const rowAt = (row: number): WaterfallRow | null => {
      const known = made.get(row);
      if (known !== undefined) return known;
      const fresh = prepareRow(context, row);
      made.set(row, fresh);
      return fresh;
    };
    return { forest, context, whole, window, overview, rowAt };
  }, [forest, rows, open, steps, criticalUntilNs, wasted, whole, window, overview]);
}
