/** Days that a group spent oddly on, as texts: what was spent, what is usual on such a day, how many times that. */
import type { SpendAnomalyRow } from "@centspan/model";
import { divideDecimals } from "../format/decimal-text.ts";
import { formatDay, type Language } from "../format/format-instant.ts";
import { columnDecimals, formatMoney } from "../format/format-money.ts";

export type OddDay = {
  key: string;
  day: string;
  label: string;
  group: string;
  cost: string;
  usual: string;
  /** Null where such days cost nothing before. */
  times: string | null;
};

export function prepareOddDays(anomalies: readonly SpendAnomalyRow[], most: number, language: Language): OddDay[] {
  const shown = anomalies.slice(0, most);
  const decimals = columnDecimals(shown.flatMap(({ costUsd, expectedUsd }) => [costUsd, expectedUsd]));
  return shown.map(({ group, day, costUsd, expectedUsd }) => ({
    key: `${day} ${group}`,
    day,
    label: formatDay(BigInt(Date.parse(day)) * 1_000_000n, language),
    group,
    cost: formatMoney(costUsd, decimals),
    usual: formatMoney(expectedUsd, decimals),
    times: divideDecimals(costUsd, expectedUsd, 1),
  }));
}
