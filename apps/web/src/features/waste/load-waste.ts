/** Loads what the waste page shows: where the money of a period went, or whose it was; day by day; and what to fix first. */
import type { WasteRow } from "@centspan/model";
import { addCosts, formatShare, prepareFixes, prepareWaste, type Waste, type WasteFixes } from "@centspan/ui";
import { choosePeriod } from "../ledger/load-spend.ts";
import { type Filter, readFilter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import type { Period } from "../page/period.ts";
import { type CauseWords, loadCauseWords } from "./words-of-cause.ts";

export const GROUPINGS = ["cause", "team", "key", "task"] as const;
export type WasteGrouping = (typeof GROUPINGS)[number];

/** By cause, against the period before. */
export type Causes = { waste: Waste; wordsOf: CauseWords };

export type WastePage = Causes & {
  period: Period;
  filter: Filter;
  grouping: WasteGrouping;
  /** False where there is no call in the period. */
  any: boolean;
  /** Of the grouping, the dearest; none where it is by cause. */
  groups: WasteRow[];
  days: WasteRow[];
  fixes: WasteFixes;
  /** Of spend; null where none is. */
  simulatedShare: string | null;
};

const MOST_FIXES = "5";
const MOST_GROUPS = "200";

export async function loadCauses(page: Page, filter: Filter, { range, before }: Period): Promise<Causes> {
  const { api } = page;
  const [now, earlier, wordsOf] = await Promise.all([
    api.waste({ ...filter, ...range, groupBy: "cause" }),
    before && api.waste({ ...filter, ...before, groupBy: "cause" }),
    loadCauseWords(page),
  ]);
  return { waste: prepareWaste(now, earlier), wordsOf };
}

export async function loadWaste(page: Page): Promise<WastePage> {
  const { api, params } = page;
  const filter = readFilter(params);
  const grouping = GROUPINGS.find((name) => name === params.groupBy) ?? "cause";
  const period = await choosePeriod(page, filter);
  const query = { ...filter, ...period.range };
  const [causes, groups, days, top, costs] = await Promise.all([
    loadCauses(page, filter, period),
    grouping === "cause" ? [] : api.waste({ ...query, groupBy: grouping, limit: MOST_GROUPS }).then(({ data }) => data),
    api.waste({ ...query, groupBy: "day" }),
    api.wasteTop({ ...query, limit: MOST_FIXES }),
    api.cost({ ...query, groupBy: "team" }),
  ]);
  const { costUsd, byProvenance } = addCosts("", costs.data);
  return {
    ...causes,
    period,
    filter,
    grouping,
    any: costs.data.length > 0,
    groups,
    days: days.data,
    fixes: prepareFixes(top.data),
    simulatedShare: byProvenance.simulated === undefined ? null : formatShare(byProvenance.simulated, costUsd),
  };
}
