/** Loads the page of one cause of waste: what it cost in a period and whom, day by day, and the calls that show it. */
import { CentspanError } from "@centspan/base";
import type { WasteItemRow, WasteRow } from "@centspan/model";
import { choosePeriod } from "../ledger/load-spend.ts";
import { type Filter, readFilter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import type { Period } from "../page/period.ts";
import { type CauseText, loadCauseWords } from "./words-of-cause.ts";

export const GROUPINGS = ["team", "key", "task"] as const;

export type CausePage = {
  cause: string;
  words: CauseText;
  period: Period;
  filter: Filter;
  /** Null where the period has none of it. */
  sum: WasteRow | null;
  spendUsd: string;
  grouping: (typeof GROUPINGS)[number];
  groups: WasteRow[];
  days: WasteRow[];
  /** The dearest. */
  items: WasteItemRow[];
};

const MOST_ITEMS = "25";
const MOST_GROUPS = "200";

export async function loadCause(page: Page, cause: string): Promise<CausePage> {
  const { api, params } = page;
  const filter = readFilter(params);
  const grouping = GROUPINGS.find((name) => name === params.groupBy) ?? "team";
  const wordsOf = await loadCauseWords(page);
  const words = wordsOf(cause);
  if (words.describe === "") throw new CentspanError("not_found", `cause ${cause}: there is none of that name`);
  const period = await choosePeriod(page, filter);
  const query = { ...filter, ...period.range, cause };
  const [sums, groups, days, items] = await Promise.all([
    api.waste({ ...query, groupBy: "cause" }),
    api.waste({ ...query, groupBy: grouping, limit: MOST_GROUPS }),
    api.waste({ ...query, groupBy: "day" }),
    api.wasteItems({ ...query, limit: MOST_ITEMS }),
  ]);
  return {
    cause,
    words,
    period,
    filter,
    sum: sums.data[0] ?? null,
    spendUsd: sums.total.spendUsd,
    grouping,
    groups: groups.data,
    days: days.data,
    items: items.data,
  };
}
