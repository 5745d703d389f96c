/** Loads a page of runs and the values its filters offer. Filters are the URL's; what it doesn't say isn't filtered. */
import { OUTCOME_STATUSES, type TraceRow } from "@centspan/model";
import { choosePeriod } from "../ledger/load-spend.ts";
import { type Filter, readFilter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import type { Period } from "../page/period.ts";

const PAGE_SIZE = "50";

export const STATUSES = [...OUTCOME_STATUSES, "pending"] as const;

/** What runs alone can be narrowed to, beside what all spend can. */
const OF_RUNS = ["status", "minCostUsd", "attribute", "sessionId"] as const;

export type Runs = {
  period: Period;
  filter: Filter & Partial<Record<(typeof OF_RUNS)[number], string>>;
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
  const [traces, teams, keys, models] = await Promise.all([
    api.traces({ ...filter, ...period.range, onlyRuns: "true", limit: PAGE_SIZE, cursor: params.cursor }),
    listGroups("team"),
    listGroups("key"),
    listGroups("model"),
  ]);
  const options = { team: teams.sort(), key: keys.sort(), model: models.sort() };
  return { period, filter, runs: traces.data, nextCursor: traces.nextCursor, options };
}
