/** Line items of OpenAI's costs: `gpt-4.1-2025-04-14, cached input`. What is no token of a model keeps its words alone. */
import type { InvoiceMeter } from "@centspan/model";

const METERS: Readonly<Record<string, InvoiceMeter>> = {
  input: "input",
  "cached input": "cache_read",
  "cache write": "cache_write_5m",
  "cache writes": "cache_write_5m",
  output: "output",
};

export function readLineItem(item: string | null): { model: string | null; meter: InvoiceMeter | null } {
  const comma = item?.lastIndexOf(",") ?? -1;
  if (item === null || comma < 0) return { model: item, meter: null };
  const meter =
    METERS[
      item
        .slice(comma + 1)
        .trim()
        .toLowerCase()
    ] ?? null;
  return { model: item.slice(0, comma).trim(), meter };
}
