"use client";
/** The whole run in a strip with the window on it. A drag chooses a window, a click moves it there. For pointers: keys do the same. */
import { type OverviewMark, type TimeWindow, WaterfallOverview } from "@centspan/ui";
import { type PointerEvent, useState } from "react";

type StripProps = {
  marks: readonly OverviewMark[];
  whole: TimeWindow;
  window: TimeWindow;
  onWindow(window: TimeWindow | null): void;
};

const LEAST_PART = 0.004;

export function WindowStrip({ marks, whole, window, onWindow }: StripProps) {
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const length = whole.toNs - whole.fromNs || 1;
  const place = (event: PointerEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  const settle = (): void => {
    if (drag === null) return;
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    setDrag(null);
    const wanted = to - from < LEAST_PART ? (window.toNs - window.fromNs) / length : to - from;
    const start = to - from < LEAST_PART ? Math.max(0, Math.min(1 - wanted, from - wanted / 2)) : from;
    onWindow({ fromNs: whole.fromNs + start * length, toNs: whole.fromNs + (start + wanted) * length });
  };
  const shown = drag ?? {
    from: (window.fromNs - whole.fromNs) / length,
    to: (window.toNs - whole.fromNs) / length,
  };
  const [left, right] = [Math.min(shown.from, shown.to), Math.max(shown.from, shown.to)];
  const isWhole = drag === null && left <= 0 && right >= 1;
  return (
    <div
      className="relative cursor-crosshair touch-none rounded-control bg-sunken"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: place(event), to: place(event) });
      }}
      onPointerMove={(event) => {
        if (drag !== null) setDrag({ from: drag.from, to: place(event) });
      }}
      onPointerUp={settle}
      onDoubleClick={() => onWindow(null)}
    >
      <WaterfallOverview marks={marks} />
      {!isWhole && (
        <span
          className="pointer-events-none absolute inset-y-[-2px] rounded-control border-2 border-accent"
          style={{ left: `${left * 100}%`, width: `max(6px, ${(right - left) * 100}%)` }}
        />
      )}
    </div>
  );
}
