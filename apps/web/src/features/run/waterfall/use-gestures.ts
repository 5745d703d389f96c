"use client";
/** Ctrl and the wheel zoom about the pointer, Shift and the wheel move along the axis. The page does neither then. */
import { panWindow, type TimeWindow, zoomWindow } from "@centspan/ui";
import { type RefObject, useEffect, useRef } from "react";
import type { SetView } from "./use-view.ts";

const ZOOM_A_PIXEL = 0.0025;
const PAN_A_PIXEL = 0.001;

export function useGestures(
  scroller: RefObject<HTMLDivElement | null>,
  whole: TimeWindow,
  window: TimeWindow,
  setView: SetView,
): void {
  const latest = useRef({ whole, window });
  latest.current = { whole, window };
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent): void => {
      const isZoom = event.ctrlKey || event.metaKey;
      if (!isZoom && !event.shiftKey) return;
      event.preventDefault();
      const track = element.querySelector(".wf-track")?.getBoundingClientRect();
      if (track === undefined) return;
      const place = Math.min(1, Math.max(0, (event.clientX - track.left) / track.width));
      const turned = event.deltaY === 0 ? event.deltaX : event.deltaY;
      setView((view) => {
        const from = view.window ?? latest.current.whole;
        const next = isZoom
          ? zoomWindow(from, latest.current.whole, Math.exp(turned * ZOOM_A_PIXEL), place)
          : panWindow(from, latest.current.whole, turned * PAN_A_PIXEL);
        return { ...view, window: isSame(next, latest.current.whole) ? null : next };
      });
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [scroller, setView]);
}

export const isSame = (a: TimeWindow, b: TimeWindow): boolean => a.fromNs === b.fromNs && a.toNs === b.toNs;
