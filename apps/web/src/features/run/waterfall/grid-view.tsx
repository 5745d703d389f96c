"use client";
/**
 * The rows in sight out of however many there are, under a head with the axis. One element has the focus and hears all keys;
 * the row that they are about is its active descendant.
 */
import { formatOffset, gridBackground, prepareTicks, type Tick } from "@centspan/ui";
import { clsx } from "clsx";
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useState } from "react";
import { ROW_PX, RowView } from "./row-view.tsx";
import type { Model } from "./use-model.ts";
import { useNotes } from "./use-notes.ts";
import type { Words } from "./words.ts";

const BEYOND = 8;
const MOST_TICKS = 6;
/** A table that is walked like a tree: the focus stays on it, since rows come and go. */
const treegrid = (activeRow: number | null) => ({
  role: "treegrid",
  tabIndex: 0,
  "aria-activedescendant": activeRow === null ? undefined : `row-${activeRow}`,
});

type GridProps = {
  model: Model;
  run: string;
  words: Words;
  scroller: RefObject<HTMLDivElement | null>;
  activeRow: number;
  selected: string | null;
  onlyCritical: boolean;
  matches: Uint8Array;
  logTicks: ReadonlyMap<number, readonly { atNs: number; attention: boolean }[]>;
  heightPx: number;
  onKey(event: KeyboardEvent): void;
  onFold(row: number): void;
  onSelect(id: string): void;
  onActivate(row: number): void;
};

/** First row in sight, and how many there is room for. */
function useSight(scroller: RefObject<HTMLDivElement | null>, heightPx: number): { first: number; room: number } {
  const [first, setFirst] = useState(0);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => setFirst(Math.floor(element.scrollTop / ROW_PX));
    look();
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [scroller]);
  return { first, room: Math.ceil(heightPx / ROW_PX) };
}

export function AxisHead({ model, words }: Pick<GridProps, "model" | "words">) {
  const ticks = prepareTicks(model.window, model.forest.startNs, MOST_TICKS);
  return (
    <tr aria-rowindex={1} className="wf-head">
      <th scope="col" className="pl-2.5">
        {words.span}
      </th>
      <th scope="col" className="relative h-[16px]" aria-label={words.time}>
        {ticks.map(({ leftPct, offsetNs }) => (
          <span
            key={leftPct}
            className={clsx("absolute", leftPct > 92 ? "-translate-x-full" : leftPct > 4 && "-translate-x-1/2")}
            style={{ left: `${leftPct}%` }}
          >
            {formatOffset(offsetNs)}
          </span>
        ))}
      </th>
      <th scope="col" className="wf-figure">
        {words.time}
      </th>
      <th scope="col" className="wf-figure">
        {words.cost}
      </th>
      <th scope="col" className="wf-figure">
        {words.repeated}
      </th>
    </tr>
  );
}

const rowOf = (event: MouseEvent): number => {
  const { target } = event;
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]")?.dataset.row : undefined;
  return row === undefined ? -1 : Number(row);
};
const isOn = (event: MouseEvent, selector: string): boolean =>
  event.target instanceof Element && event.target.closest(selector) !== null;

export function GridView(props: GridProps) {
  const { model, run, words, scroller, activeRow, selected, heightPx, onlyCritical, matches, logTicks } = props;
  const { rows, criticalUntilNs } = model.context;
  const { first, room } = useSight(scroller, heightPx);
  const from = Math.max(0, Math.min(first, rows.count - room) - BEYOND);
  const inSight = Array.from({ length: Math.min(rows.count - from, room + 2 * BEYOND) }, (_, at) => from + at);
  const shown = inSight.flatMap((at) => {
    const row = model.rowAt(at);
    return row === null ? [] : [{ at, row }];
  });
  const notes = useNotes(
    run,
    shown.flatMap(({ row }) => (row.kind === "span" && row.spanId !== null ? [row.spanId] : [])),
  );
  const isSearching = matches.length > 0;
  const place = (atNs: number): number =>
    ((atNs - model.window.fromNs) / (model.window.toNs - model.window.fromNs)) * 100;
  const ticksOf = (node: number): Tick[] | undefined =>
    logTicks.get(node)?.map(({ atNs, attention }) => ({ leftPct: place(atNs), attention }));
  const grid = gridBackground(prepareTicks(model.window, model.forest.startNs, MOST_TICKS));
  return (
    <div ref={scroller} className="wf-grid" style={{ height: heightPx, "--grid": grid }}>
      <table
        {...treegrid(activeRow >= from && activeRow < from + inSight.length ? activeRow : null)}
        aria-label={words.span}
        aria-rowcount={rows.count + 1}
        onKeyDown={props.onKey}
        onClick={(event) => {
          const row = rowOf(event);
          if (row < 0) return;
          props.onActivate(row);
          if (isOn(event, "[data-fold]")) return props.onFold(row);
          const prepared = model.rowAt(row);
          const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey);
          if (prepared === null || !isPlain) return;
          event.preventDefault();
          if (prepared.kind === "span" && prepared.spanId !== null) props.onSelect(prepared.spanId);
          else if (prepared.kind === "steps") props.onFold(row);
        }}
      >
        <thead>
          <AxisHead model={model} words={words} />
        </thead>
        <tbody style={{ height: rows.count * ROW_PX }}>
          {shown.map(({ at, row }) => (
            <RowView
              key={at}
              at={at}
              row={row}
              model={model}
              run={run}
              words={words}
              note={row.spanId === null ? null : (notes.get(row.spanId) ?? null)}
              ticks={ticksOf(row.node)}
              isActive={at === activeRow}
              isSelected={row.kind === "span" && selected !== null && row.spanId === selected}
              isFaint={
                (onlyCritical && Number.isNaN(criticalUntilNs[row.node] ?? Number.NaN)) ||
                (isSearching && matches[row.node] === 0)
              }
              onSelect={props.onSelect}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
