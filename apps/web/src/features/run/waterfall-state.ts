/**
 * What a person has made of a waterfall, in the address: `fold`, `open`, `closed`, `span`, `zoom`, `skew`, `find`. Pure, both
 * ways: what is not said stands as it is by default, and rubbish reads as not said.
 */
import { FOLDS, type Fold, type SkewView, type TimeWindow } from "@centspan/ui";

export type View = {
  fold: Fold;
  opened: ReadonlySet<string>;
  closed: ReadonlySet<string>;
  /** A span of this trace, or `traceId:spanId` of another: a step of an engine. */
  selected: string | null;
  /** Null: all of it. */
  window: TimeWindow | null;
  skew: SkewView;
  find: string;
};

type Params = Readonly<Record<string, string | undefined>>;
type Changes = Record<"fold" | "open" | "closed" | "span" | "zoom" | "skew" | "find", string | null>;

export const ALL_AS_IT_IS: View = {
  fold: "auto",
  opened: new Set(),
  closed: new Set(),
  selected: null,
  window: null,
  skew: { on: true, hosts: new Map() },
  find: "",
};

const readKeys = (text: string | undefined): Set<string> =>
  new Set((text ?? "").split(",").filter((key) => key !== ""));
const writeKeys = (keys: ReadonlySet<string>): string | null => (keys.size === 0 ? null : [...keys].sort().join(","));

/** `span` of an address as the ids of a trace and of a span in it. */
export function splitSelection(selected: string, traceId: string): { traceId: string; spanId: string } {
  const [first = "", second] = selected.split(":");
  return second === undefined ? { traceId, spanId: first } : { traceId: first, spanId: second };
}

const WINDOW = /^(-?\d{1,19})-(-?\d{1,19})$/;

/** Nanoseconds from the start of the trace. */
function readWindow(text: string | undefined): TimeWindow | null {
  const [, from, to] = WINDOW.exec(text ?? "") ?? [];
  const window = { fromNs: Number(from), toNs: Number(to) };
  return window.toNs > window.fromNs ? window : null;
}

const HOST = /^(.+):(-?\d{1,9}(?:\.\d{1,3})?)$/;
const NS_PER_MS = 1e6;

/** "off", or milliseconds by host. */
function readSkew(text: string | undefined): SkewView {
  const hosts = new Map<string, number>();
  for (const part of (text ?? "").split(",")) {
    const [, host, ms] = HOST.exec(part) ?? [];
    if (host !== undefined && ms !== undefined) hosts.set(decodeURIComponent(host), Number(ms) * NS_PER_MS);
  }
  return { on: text !== "off", hosts };
}

function writeSkew({ on, hosts }: SkewView): string | null {
  if (!on) return "off";
  const parts = [...hosts].map(([host, ns]) => `${encodeURIComponent(host)}:${ns / NS_PER_MS}`);
  return parts.length === 0 ? null : parts.join(",");
}

export function readView(params: Params): View {
  return {
    fold: FOLDS.find((fold) => fold === params.fold) ?? "auto",
    opened: readKeys(params.open),
    closed: readKeys(params.closed),
    selected: params.span ?? null,
    window: readWindow(params.zoom),
    skew: readSkew(params.skew),
    find: params.find ?? "",
  };
}

export function writeView({ fold, opened, closed, selected, window, skew, find }: View): Changes {
  return {
    fold: fold === "auto" ? null : fold,
    open: writeKeys(opened),
    closed: writeKeys(closed),
    span: selected,
    zoom: window === null ? null : `${Math.round(window.fromNs)}-${Math.round(window.toNs)}`,
    skew: writeSkew(skew),
    find: find === "" ? null : find,
  };
}

/** Folds or unfolds one row, given how it stands now. */
export function toggleRow(view: View, id: string, expanded: boolean): View {
  const opened = new Set(view.opened);
  const closed = new Set(view.closed);
  opened.delete(id);
  closed.delete(id);
  (expanded ? closed : opened).add(id);
  return { ...view, opened, closed };
}

/** The address of a view: what else it says stays. */
export function viewHref(path: string, search: string, view: View): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(writeView(view))) {
    if (value === null) params.delete(name);
    else params.set(name, value);
  }
  params.sort();
  return params.size === 0 ? path : `${path}?${params}`;
}
