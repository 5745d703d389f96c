/** Loads what the spend page and its file show: one grouping of a range beside the one before it, and what explains it. */
import type { ApiClient } from "@centspan/api";
import {
  type CostRow,
  DAILY_SPEND_GROUPS,
  type SpendAnomalyRow,
  type SpendChangeAnswer,
  type SpendForecastAnswer,
} from "@centspan/model";
import { addCosts, pairSpend, type SpendPair } from "@centspan/ui";
import { type DayRange, reachToday, readDayRange } from "../page/day-range.ts";
import { type Filter, readFilter } from "../page/filters.tsx";
import type { Params } from "../page/params.ts";

export const GROUPINGS = ["team", "key", "taskType", "provider", "model", "meter", "day"] as const;
export type SpendGrouping = (typeof GROUPINGS)[number];

const readGrouping = (text: string | undefined): SpendGrouping =>
  GROUPINGS.find((grouping) => grouping === text) ?? "team";

/** What the address asks for. */
export type SpendQuestion = { filter: Filter; grouping: SpendGrouping; range: DayRange };

export type SpendGroups = SpendQuestion & {
  pairs: SpendPair[];
  /** Of all calls, each counted once. */
  total: SpendPair;
  /** Whose cost is known. */
  callsBefore: number;
  /** Of both periods. */
  days: CostRow[];
};

export type Explorer = SpendGroups & {
  forecast: SpendForecastAnswer;
  anomalies: SpendAnomalyRow[];
  /** Groups that are not judged, since less is spent on them. */
  unjudged: number;
  change: SpendChangeAnswer;
  /** The last day with spend; null where there never was any, and not asked where the period has some. */
  lastSpendDay: string | null;
};

type Asked = { api: ApiClient; params: Params; nowMs: number };

const hasCalls = (rows: readonly CostRow[]): boolean => rows.some(({ calls }) => calls > 0);

async function choose({ api, params, nowMs }: Asked): Promise<SpendQuestion & { days: CostRow[] }> {
  const nowNs = BigInt(nowMs) * 1_000_000n;
  const { timeZone } = await api.billingTimeZone();
  const filter = readFilter(params);
  const listDays = async (range: DayRange) =>
    (await api.cost({ ...filter, groupBy: "day", tz: timeZone, from: range.before.from, to: range.to })).data;
  const asked = readDayRange(params, timeZone, nowNs);
  const days = await listDays(asked);
  const range = hasCalls(days) ? asked : reachToday(asked, nowNs);
  return {
    filter,
    grouping: readGrouping(params.groupBy),
    range,
    days: range === asked ? days : await listDays(range),
  };
}

export async function loadGroups(asked: Asked): Promise<SpendGroups> {
  const { days, ...question } = await choose(asked);
  const { filter, grouping, range } = question;
  const isOfRange = ({ group }: CostRow): boolean => group >= range.firstDay;
  const list = async (from: string, to: string) =>
    grouping === "day"
      ? days.filter((day) => isOfRange(day) === (from === range.from))
      : (await asked.api.cost({ ...filter, groupBy: grouping, from, to })).data;
  const [now, before] = await Promise.all([list(range.from, range.to), list(range.before.from, range.from)]);
  const sumBefore = addCosts(
    "",
    days.filter((day) => !isOfRange(day)),
  );
  const pairs =
    grouping === "day"
      ? now.map((day) => ({ now: day, beforeUsd: "0" })).sort((a, b) => (a.now.group < b.now.group ? 1 : -1))
      : pairSpend(now, before);
  return {
    ...question,
    days,
    pairs,
    total: { now: addCosts("", days.filter(isOfRange)), beforeUsd: sumBefore.costUsd },
    callsBefore: sumBefore.pricedRequests,
  };
}

export async function loadExplorer(asked: Asked): Promise<Explorer> {
  const groups = await loadGroups(asked);
  const { api } = asked;
  const { filter, range, grouping } = groups;
  const history = { ...filter, tz: range.zone };
  const judged = DAILY_SPEND_GROUPS.find((group) => group === grouping) ?? "team";
  const [forecast, anomalies, change, ever] = await Promise.all([
    api.costForecast(history),
    api.costAnomalies({ ...history, groupBy: judged }),
    api.costChange({ ...filter, from: range.from, to: range.to, tz: range.zone }),
    hasCalls(groups.days) ? null : api.cost({ ...filter, groupBy: "day", tz: range.zone }),
  ]);
  return {
    ...groups,
    forecast,
    anomalies: anomalies.data.filter(({ day }) => day >= range.before.firstDay && day <= range.lastDay),
    unjudged: anomalies.others,
    change,
    lastSpendDay: ever?.data.at(-1)?.group ?? null,
  };
}

/** The address of the calls behind a figure of this page: the same filter and the same time. */
export const callsOf = ({ filter, range }: Pick<SpendQuestion, "filter" | "range">) => ({
  ...filter,
  period: null,
  ...(range.zone === "UTC" ? { from: range.firstDay, to: range.lastDay } : { from: range.from, to: range.to }),
});
