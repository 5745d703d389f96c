/**
 * A provider's published table as price entries. Each row names one model; providers report either that name or a
 * dated snapshot of it (`gpt-5-2025-08-07`, `claude-sonnet-4-5-20250929`), so a row becomes two entries.
 * The snapshot pattern is `name-20*`: it must not catch sibling models such as `gpt-5-mini`.
 */
import type { PriceEntry, PriceSelectors, Rates } from "@centspan/model";

type PriceRow = {
  model: string;
  from: string;
  to?: string;
  when?: PriceSelectors;
  usdPerMillion: Rates;
  /** Where this row's figures come from, when not from the table's own source. */
  source?: string;
};

/** `checkedOn` and `source` hold for every row of the table. */
export function expandRows(
  table: { provider: string; source: string; checkedOn: string },
  rows: readonly PriceRow[],
): PriceEntry[] {
  return rows.flatMap((row) =>
    [row.model, `${row.model}-20*`].map((model) => ({
      source: table.source,
      ...row,
      id: `${table.provider}/${model}@${row.from}${describeSelectors(row.when)}`,
      model,
      checkedOn: table.checkedOn,
    })),
  );
}

function describeSelectors(when: PriceSelectors | undefined): string {
  const context = when?.context && `context${when.context.comparator}${when.context.tokens}`;
  const parts = [when?.serviceTier, when?.region, when?.batch && "batch", context].filter(Boolean);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
