/**
 * A provider's published table as price entries. Each row names one model; providers report either that name or a
 * dated snapshot of it (`gpt-5-2025-08-07`, `claude-sonnet-4-5-20250929`), so a row becomes two entries.
 * The snapshot pattern is `name-20*`: it must not catch sibling models such as `gpt-5-mini`.
 */
import { formatDecimal, parseDecimal } from "@centspan/base";
import type { PriceEntry, PriceSelectors, Rates } from "@centspan/model";

export type PriceRow = Omit<PriceEntry, "id" | "source" | "checkedOn"> & {
  /** Where this row's figures come from, when not from the table's own source. */
  source?: string;
};

type Table = Pick<PriceEntry, "source" | "checkedOn" | "perThousand"> & {
  provider: string;
  /** What the provider calls a row's model, where that is not its name and dated ones. */
  namesOf?(model: string): readonly string[];
};

const withSnapshots = (model: string): string[] => [model, `${model}-20*`];

/** What the table says holds for every row that does not say otherwise. */
export function expandRows(
  { provider, namesOf = withSnapshots, ...table }: Table,
  rows: readonly PriceRow[],
): PriceEntry[] {
  return rows.flatMap((row) =>
    namesOf(row.model).map((model) => ({
      ...table,
      ...row,
      id: `${provider}/${model}@${row.from}${describeSelectors(row.when)}`,
      model,
    })),
  );
}

/** The same rows where one thing more holds, at a multiple of their prices. */
export const atMultiple = (rows: readonly PriceRow[], factor: string, when: PriceSelectors): PriceRow[] =>
  rows.map((row) => ({ ...row, when: { ...row.when, ...when }, perMillion: multiplyRates(row.perMillion, factor) }));

const multiplyRates = (rates: Rates, factor: string): Rates =>
  Object.fromEntries(
    Object.entries(rates).map(([meter, price]) => [
      meter,
      formatDecimal(parseDecimal(price).times(parseDecimal(factor))),
    ]),
  );

function describeSelectors({ serviceTier, region, context, hours, weekdays }: PriceSelectors = {}): string {
  const parts = [
    serviceTier,
    region,
    context && `context${context.comparator}${context.tokens}`,
    hours && `${hours.from}-${hours.to}`,
    weekdays && `days${weekdays.join("")}`,
  ].filter(Boolean);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
