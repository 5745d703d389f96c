/** Loads the outcomes page: what passes cost by a grouping, its cheapest two side by side, what further spend bought, what is not linked. */
import { choosesRequests } from "@centspan/attribution";
import type { Cheapest, Comparison, TaskRow, Unlinked } from "@centspan/model";
import {
  hasSpend,
  type KeyFigures,
  type OutcomeTable,
  prepareKeyFigures,
  prepareOutcomeTable,
  prepareReturns,
  type ReturnsView,
} from "@centspan/ui";
import { choosePeriod, type Grouping } from "../ledger/load-spend.ts";
import { type Filter, readFilter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import type { Period } from "../page/period.ts";
import type { Work } from "./work-panel.tsx";

export const GROUPINGS = [
  "team",
  "key",
  "taskType",
  "model",
  "harnessVersion",
  "role",
  "repository",
  "task",
] as const satisfies Grouping[];
export type OutcomeGrouping = (typeof GROUPINGS)[number];
export const MATURITIES = ["7", "14", "30"] as const;

export type OutcomesPage = {
  period: Period;
  filter: Filter;
  grouping: OutcomeGrouping;
  /** Days that an outcome has to last before it counts; null where it counts at once. */
  maturity: (typeof MATURITIES)[number] | null;
  any: boolean;
  figures: KeyFigures;
  table: OutcomeTable;
  cheapest: Cheapest | null;
  comparison: Comparison | null;
  returns: ReturnsView;
  unlinked: Unlinked;
  /** By task alone. */
  tasks: TaskRow[];
  /** Null where a filter is on: a place is of whole traces. */
  work: Work | null;
};

const MOST_TASKS = "200";

export async function loadOutcomes(page: Page): Promise<OutcomesPage> {
  const { api, params } = page;
  const filter = readFilter(params);
  const grouping = GROUPINGS.find((name) => name === params.groupBy) ?? "team";
  const maturity = MATURITIES.find((days) => days === params.maturity) ?? null;
  const period = await choosePeriod(page, filter);
  const query = { ...filter, ...period.range };
  const judged = { ...query, ...(maturity === null ? {} : { maturityDays: maturity }) };
  // Tasks have a list of their own; of all of them there is only the total.
  const groupBy = grouping === "task" ? "team" : grouping;
  const [outcomes, costs, returns, unlinked, tasks, work] = await Promise.all([
    api.outcomesCost({ ...judged, groupBy }),
    groupBy === "harnessVersion" ? [] : api.cost({ ...query, groupBy }).then(({ data }) => data),
    api.outcomeReturns({ ...judged, groupBy }),
    api.unlinkedOutcomes(query),
    grouping === "task" ? api.outcomeTasks({ ...judged, limit: MOST_TASKS }).then(({ data }) => data) : [],
    Object.keys(filter).length > 0 ? null : loadWork(page, period),
  ]);
  // Of a single task nothing is certain.
  const cheapest = grouping === "task" ? null : outcomes.cheapest;
  // Of another grouping's address there is no such group here.
  const isHere = (name: string | undefined): boolean => outcomes.data.some(({ group }) => group === name);
  const a = isHere(params.a) ? params.a : cheapest?.against;
  const b = isHere(params.b) ? params.b : cheapest?.group;
  const comparison =
    a === undefined || b === undefined ? null : await api.compareOutcomes({ ...judged, groupBy: grouping, a, b });
  return {
    period,
    filter,
    grouping,
    maturity,
    any: hasSpend(outcomes.total) || costs.length > 0,
    figures: prepareKeyFigures(outcomes.total, costs),
    table: prepareOutcomeTable(outcomes.data, outcomes.total, costs),
    cheapest,
    comparison,
    returns: prepareReturns(returns),
    unlinked,
    tasks,
    work,
  };
}

/** By request, or by branch where requests tell of little of it. */
async function loadWork({ api }: Page, { range }: Period): Promise<Work> {
  const [requests, branches] = await Promise.all([
    api.costOfWork({ ...range, groupBy: "pullRequest" }),
    api.costOfWork({ ...range, groupBy: "branch" }),
  ]);
  return choosesRequests(requests.total, branches.total)
    ? { groupBy: "pullRequest", answer: requests }
    : { groupBy: "branch", answer: branches };
}
