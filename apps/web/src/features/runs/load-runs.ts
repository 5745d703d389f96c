/** Loads a page of runs and the values its filters offer. Filters are the URL's; what it doesn't say isn't filtered. */
import { OUTCOME_STATUSES, type TaskRunsRow, type TraceRow } from "@centspan/model";
import { choosePeriod } from "../ledger/load-spend.ts";
import { type Filter, readFilter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import type { Period } from "../page/period.ts";

const PAGE_SIZE = "50";

export const STATUSES = [...OUTCOME_STATUSES, "pending"] as const;

/** What runs alone can be narrowed to, beside what all spend can. */
const OF_RUNS = ["status", "minCostUsd", "attribute", "sessionId"] as const;

export const isByTask = ({ params }: Pick<Page, "params">): boolean => params.groupBy === "task";

/** What a run can be narrowed to and a task cannot. */
export const OF_RUNS_ALONE = ["minCostUsd", "attribute", "sessionId"] as const;

export type Runs = {
  period: Period;
  filter: Filter & Partial<Record<(typeof OF_RUNS)[number], string>>;
  /** In place of runs, where they are grouped. */
  grouped: { tasks: TaskRunsRow[]; all: number } | null;
  runs: TraceRow[];
  nextCursor: string | null;
  options: Record<"team" | "key" | "model", string[]>;
};

export async function loadRuns(page: Page): Promise<Runs> {
  const { api, params } = page;
  const spendFilter = readFilter(params);
  const filter: Runs["filter"] = { ...spendFilter };
  for (const name of OF_RUNS) if (params[name] !== undefined) filter[name] = params[name];
  const period = await choosePeriod(page, spendFilter);
  const listGroups = async (groupBy: "team" | "key" | "model") =>
    (await api.cost({ groupBy })).data.map((row) => row.group).filter((group) => group !== "");
  const asked = { ...filter, ...period.range, limit: PAGE_SIZE, cursor: params.cursor };
  const [found, teams, keys, models] = await Promise.all([
    isByTask(page) ? api.taskRuns(asked) : api.traces({ ...asked, onlyRuns: "true" }),
    listGroups("team"),
    listGroups("key"),
    listGroups("model"),
  ]);
  const options = { team: teams.sort(), key: keys.sort(), model: models.sort() };
  const { nextCursor } = found;
  const same = { period, filter, nextCursor, options };
  if ("total" in found) return { ...same, runs: [], grouped: { tasks: found.data, all: found.total } };
  return { ...same, runs: found.data, grouped: null };
}
