/** Loads what a page about spend shows: figures, groupings and the trend of one filter and period, all from the Trace API. */

import type { ApiClient } from "@centspan/api";
import {
  type Bucket,
  chooseFiner,
  hasSpend,
  type KeyFigures,
  type OutcomeTable,
  prepareKeyFigures,
  prepareOutcomeTable,
  prepareTrend,
  type TrendPoint,
} from "@centspan/ui";
import type { Filter } from "../page/filters.tsx";
import type { Page } from "../page/page.ts";
import { type Period, resolvePeriod } from "../page/period.ts";

export type Grouping = "team" | "key" | "task" | "taskType" | "model" | "repository" | "role" | "harnessVersion";
type Query = Filter & { from?: string; to?: string };
type Dated = Awaited<ReturnType<ApiClient["cost"]>>["data"];

export type Spend = {
  period: Period;
  /** False when the period holds no call at all. */
  any: boolean;
  figures: KeyFigures;
  tables: OutcomeTable[];
  trend: { points: TrendPoint[]; bucket: Bucket };
};

/** The same on all pages about spend, so that the rows that a figure leads to are those behind it. */
export const choosePeriod = ({ api, params, zone, nowMs }: Page, filter: Filter): Promise<Period> =>
  resolvePeriod(params, { zone, nowMs }, async (range) => {
    const { data } = await api.cost({ ...filter, ...range, groupBy: "day" });
    return data.length > 0;
  });

/** The figures of the groupings asked for, in their order; the period is the page's, or the one that holds spend. */
export async function loadSpend(page: Page, filter: Filter, groupings: readonly Grouping[]): Promise<Spend> {
  const { api, language } = page;
  const period = await choosePeriod(page, filter);
  const query: Query = { ...filter, ...period.range };
  const [trend, ...grouped] = await Promise.all([
    loadTrend(api, query, language),
    ...groupings.map(async (groupBy) => {
      const [outcomes, cost] = await Promise.all([
        api.outcomesCost({ ...query, groupBy }),
        api.cost({ ...query, groupBy }),
      ]);
      return { outcomes, costs: cost.data };
    }),
  ]);
  const [first] = grouped;
  if (first === undefined) throw new Error("assertion failed: a spend page has at least one grouping");
  return {
    period,
    any: hasSpend(first.outcomes.total) || first.costs.length > 0,
    figures: prepareKeyFigures(first.outcomes.total, first.costs),
    tables: grouped.map(({ outcomes, costs }) => prepareOutcomeTable(outcomes.data, outcomes.total, costs)),
    trend,
  };
}

async function loadTrend(api: ApiClient, query: Query, language: Page["language"]): Promise<Spend["trend"]> {
  const { bucket, costs } = await chooseBucket(api, query);
  const outcomes = await api.outcomesCost({ ...query, groupBy: bucket });
  return { bucket, points: prepareTrend(costs, outcomes.data, bucket, language) };
}

/** Days first; finer while everything lies within a few buckets, as long as finer shows more than one. */
async function chooseBucket(api: ApiClient, query: Query): Promise<{ bucket: Bucket; costs: Dated }> {
  let bucket: Bucket = "day";
  let { data: costs } = await api.cost({ ...query, groupBy: bucket });
  for (let finer = chooseFiner(costs, bucket); finer !== null; finer = chooseFiner(costs, bucket)) {
    const { data } = await api.cost({ ...query, groupBy: finer });
    if (finer === "minute" && data.length < 2) break;
    bucket = finer;
    costs = data;
  }
  return { bucket, costs };
}
