/** Loads the outcomes page: what passes cost by a grouping, its cheapest two side by side, what further spend bought, what is not linked. */
import {
  type Cheapest,
  type Comparison,
  type TaskRow,
  type Unlinked,
  WORK_GROUPS,
  type WorkGroup,
} from "@centspan/model";
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

const GROUPINGS = [
  "team",
  "key",
  "taskType",
  "model",
  "harnessVersion",
  "role",
  "repository",
  "task",
] as const satisfies Grouping[];
/** Work has a list of its own: tests and reviews are found for it by branch and commit, not by task. */
export type OutcomeGrouping = (typeof GROUPINGS)[number] | WorkGroup;
export const MATURITIES = ["7", "14", "30"] as const;

export type OutcomesPage = {
  period: Period;
  filter: Filter;
  grouping: OutcomeGrouping;
  groupings: OutcomeGrouping[];
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
  /** By pull request or branch alone. */
  work: Work | null;
};

const MOST_TASKS = "200";
const MOST_WORK = "200";

/** A place is of whole traces: no part of one can be shown. */
const listGroupings = (filter: Filter): OutcomeGrouping[] =>
  Object.keys(filter).length > 0 ? [...GROUPINGS] : [...GROUPINGS, ...WORK_GROUPS];

type Listed = "task" | WorkGroup;
export const isListed = (grouping: OutcomeGrouping): grouping is Listed =>
  grouping === "task" || grouping === "pullRequest" || grouping === "branch";

export async function loadOutcomes(page: Page): Promise<OutcomesPage> {
  const { api, params } = page;
  const filter = readFilter(params);
  const groupings = listGroupings(filter);
  const grouping = groupings.find((name) => name === params.groupBy) ?? "team";
  const workGroup = WORK_GROUPS.find((name) => name === grouping) ?? null;
  const maturity = MATURITIES.find((days) => days === params.maturity) ?? null;
  const period = await choosePeriod(page, filter);
  const query = { ...filter, ...period.range };
  const judged = { ...query, ...(maturity === null ? {} : { maturityDays: maturity }) };
  // Tasks and work have lists of their own; of all of them there is only the total.
  const groupBy = isListed(grouping) ? "team" : grouping;
  const [outcomes, costs, returns, unlinked, tasks, work] = await Promise.all([
    api.outcomesCost({ ...judged, groupBy }),
    groupBy === "harnessVersion" ? [] : api.cost({ ...query, groupBy }).then(({ data }) => data),
    api.outcomeReturns({ ...judged, groupBy }),
    api.unlinkedOutcomes(query),
    grouping === "task" ? api.outcomeTasks({ ...judged, limit: MOST_TASKS }).then(({ data }) => data) : [],
    workGroup && api.costOfWork({ ...period.range, groupBy: workGroup, limit: MOST_WORK }),
  ]);
  // Of a single task nothing is certain.
  const cheapest = isListed(grouping) ? null : outcomes.cheapest;
  // Of another grouping's address there is no such group here.
  const isHere = (name: string | undefined): boolean => outcomes.data.some(({ group }) => group === name);
  const a = isHere(params.a) ? params.a : cheapest?.against;
  const b = isHere(params.b) ? params.b : cheapest?.group;
  const comparison =
    a === undefined || b === undefined || workGroup !== null
      ? null
      : await api.compareOutcomes({ ...judged, groupBy: grouping, a, b });
  return {
    period,
    filter,
    grouping,
    groupings,
    maturity,
    any: hasSpend(outcomes.total) || costs.length > 0,
    figures: prepareKeyFigures(outcomes.total, costs),
    table: prepareOutcomeTable(outcomes.data, outcomes.total, costs),
    cheapest,
    comparison,
    returns: prepareReturns(returns),
    unlinked,
    tasks,
    work: workGroup && work && { groupBy: workGroup, answer: work },
  };
}
