/**
 * Line items of OpenAI's costs: `gpt-4.1-2025-04-14, cached input`, or a fee that no model is named for. What is neither
 * keeps its words alone.
 */
import type { InvoiceMeter } from "@centspan/model";

const METERS: Readonly<Record<string, InvoiceMeter>> = {
  input: "input",
  "cached input": "cache_read",
  "cache write": "cache_write_5m",
  "cache writes": "cache_write_5m",
  output: "output",
  "web search": "web_search",
  "web search tool calls": "web_search",
};

export function readLineItem(item: string | null): { model: string | null; meter: InvoiceMeter | null } {
  const comma = item?.lastIndexOf(",") ?? -1;
  const meter =
    METERS[
      item
        ?.slice(comma + 1)
        .trim()
        .toLowerCase() ?? ""
    ] ?? null;
  if (item === null || comma < 0) return { model: meter === null ? item : null, meter };
  return { model: item.slice(0, comma).trim(), meter };
}
