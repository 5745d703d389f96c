/** Loads a page of runs and the values its filters offer. Filters are the URL's; what it doesn't say isn't filtered. */
import { OUTCOME_STATUSES, type TraceRow } from "@centspan/model";
import type { Page } from "../page/page.ts";
import { type Period, resolvePeriod } from "../page/period.ts";

const PAGE_SIZE = "50";
const FILTERS = ["team", "key", "model", "task", "taskType", "repository", "status", "minCostUsd"] as const;
type FilterName = (typeof FILTERS)[number];

export const STATUSES = [...OUTCOME_STATUSES, "pending"] as const;

export type Runs = {
  period: Period;
  filter: Partial<Record<FilterName, string>>;
  runs: TraceRow[];
  nextCursor: string | null;
  options: Record<"team" | "key" | "model", string[]>;
};

export async function loadRuns({ api, params, nowMs }: Page): Promise<Runs> {
  const filter: Runs["filter"] = {};
  for (const name of FILTERS) if (params[name] !== undefined) filter[name] = params[name];
  const { status: _status, minCostUsd: _minCostUsd, ...spendFilter } = filter;
  // Chosen as on the pages of figures that lead here, so that the rows are those behind the figure.
  const period = await resolvePeriod(params, nowMs, async (range) => {
    const { data } = await api.cost({ ...spendFilter, ...range, groupBy: "day" });
    return data.length > 0;
  });
  const listGroups = async (groupBy: "team" | "key" | "model") =>
    (await api.cost({ groupBy })).data.map((row) => row.group).filter((group) => group !== "");
  const [page, teams, keys, models] = await Promise.all([
    api.traces({ ...filter, ...period.range, onlyRuns: "true", limit: PAGE_SIZE, cursor: params.cursor }),
    listGroups("team"),
    listGroups("key"),
    listGroups("model"),
  ]);
  const options = { team: teams.sort(), key: keys.sort(), model: models.sort() };
  return { period, filter, runs: page.data, nextCursor: page.nextCursor, options };
}
