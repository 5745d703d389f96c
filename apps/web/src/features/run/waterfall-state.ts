/** The waterfall's view state in the URL: `span`, `open`, `closed`, `zoom`, `row`. Pure, both ways. */
import type { WaterfallView } from "@centspan/ui";
import type { Changes, Params } from "../page/params.ts";

export const MAX_ROWS = 250;

const readKeys = (text: string | undefined): Set<string> =>
  new Set((text ?? "").split(",").filter((key) => key !== ""));
const writeKeys = (keys: ReadonlySet<string>): string | null => (keys.size === 0 ? null : [...keys].sort().join(","));

/** `span` is a span id of this trace, or `traceId:spanId` for a step of an engine. */
export function readSelection(params: Params, traceId: string): { traceId: string; spanId: string } | null {
  const { span } = params;
  if (span === undefined) return null;
  const [first = "", second] = span.split(":");
  return second === undefined ? { traceId, spanId: first } : { traceId: first, spanId: second };
}

export function readView(params: Params): WaterfallView {
  const row = /^\d{1,7}$/.test(params.row ?? "") ? Number(params.row) : 0;
  return {
    opened: readKeys(params.open),
    closed: readKeys(params.closed),
    selected: params.span ?? null,
    zoom: params.zoom ?? null,
    firstRow: row,
    maxRows: MAX_ROWS,
  };
}

/** The changes that fold or unfold one row, given how it stands now. */
export function toggleRow(view: WaterfallView, key: string, expanded: boolean): Changes {
  const opened = new Set(view.opened);
  const closed = new Set(view.closed);
  if (expanded) {
    opened.delete(key);
    closed.add(key);
  } else {
    closed.delete(key);
    opened.add(key);
  }
  return { open: writeKeys(opened), closed: writeKeys(closed) };
}
