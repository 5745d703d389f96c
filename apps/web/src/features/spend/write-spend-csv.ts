/** The spend table as CSV: exact amounts, every row, and what they are of. Pure. */
import type { SpendPair } from "@centspan/ui";
import { stringify } from "csv-stringify/sync";
import type { SpendGroups } from "./load-explorer.ts";

type Column = [name: string, read: (pair: SpendPair) => string | number];

export function writeSpendCsv({ grouping, range, pairs }: Pick<SpendGroups, "grouping" | "range" | "pairs">): string {
  const columns: Column[] = [
    [grouping, ({ now }) => now.group],
    ["from", () => range.from],
    ["to", () => range.to],
    ["time_zone", () => range.zone],
    ["cost_usd", ({ now }) => now.costUsd],
    // Days have nothing before them.
    ...(grouping === "day" ? [] : [["before_usd", ({ beforeUsd }) => beforeUsd] satisfies Column]),
    ["requests", ({ now }) => now.requests],
    ["input_tokens", ({ now }) => now.buckets.input],
    ["cache_read_tokens", ({ now }) => now.buckets.cacheRead],
    ["cache_write_tokens", ({ now }) => now.buckets.cacheWrite5m + now.buckets.cacheWrite1h],
    ["output_tokens", ({ now }) => now.buckets.outputText + now.buckets.outputReasoning],
    ["web_searches", ({ now }) => now.buckets.webSearches],
    ["unpriced_calls", ({ now }) => now.unpricedCalls],
    ["quarantined_calls", ({ now }) => now.quarantinedCalls],
    ["provenance", ({ now }) => now.provenance ?? ""],
  ];
  const rows = pairs.map((pair) => columns.map(([, read]) => read(pair)));
  // A name that begins like a formula is none to whoever opens the file.
  return stringify([columns.map(([name]) => name), ...rows], { escape_formulas: true });
}
