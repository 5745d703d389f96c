"use client";
/** The view of a waterfall as state, written into the address once it stands still: a reload or a link shows the same. */
import { useEffect, useState } from "react";
import { readView, type View, viewHref } from "../waterfall-state.ts";

const STILL_MS = 200;

export type SetView = (change: (view: View) => View) => void;

export function useView(params: Readonly<Record<string, string>>): [View, SetView] {
  const [view, setView] = useState(() => readView(params));
  useEffect(() => {
    const timer = setTimeout(() => {
      const { pathname, search } = window.location;
      const href = viewHref(pathname, search, view);
      if (href !== `${pathname}${search}`) window.history.replaceState(null, "", href);
    }, STILL_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return [view, setView];
}
