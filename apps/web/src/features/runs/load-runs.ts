/** Loads a page of runs and the values its filters offer. Filters are the URL's; what it doesn't say isn't filtered. */
import { OUTCOME_STATUSES, type TraceRow } from "@centspan/model";
import type { Page } from "../page/page.ts";
import { type Period, readPeriod } from "../page/period.ts";

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
  const period = readPeriod(params, nowMs) ?? { id: "all", range: {}, fellBack: false };
  const listGroups = async (groupBy: "team" | "key" | "model") =>
    (await api.cost({ groupBy })).data.map((row) => row.group).filter((group) => group !== "");
  const [page, team, key, model] = await Promise.all([
    api.traces({ ...filter, ...period.range, onlyRuns: "true", limit: PAGE_SIZE, cursor: params.cursor }),
    listGroups("team"),
    listGroups("key"),
    listGroups("model"),
  ]);
  const options = { team: team.sort(), key: key.sort(), model: model.sort() };
  return { period, filter, runs: page.data, nextCursor: page.nextCursor, options };
}
