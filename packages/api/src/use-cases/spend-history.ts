/** Spend by group as days without gaps, for what is worked out from whole days; today apart, which is not over. */
import { addDays, type Decimal, dayOf, nextDay, startOfDayNs, ZERO } from "@centspan/base";
import { type CallFilter, DAILY_SPEND_GROUPS, type DailySpend, type DailySpendGroup } from "@centspan/model";
import { z } from "zod";
import { filterShape, readFilter, timeZoneParam } from "../queries.ts";
import type { ApiDeps, Caller } from "../route.ts";

/** As far back as a forecast looks. */
const HISTORY_DAYS = 84;
/** What is worked out for each group takes milliseconds, and nobody reads thousands. */
const MOST_GROUPS = 50;

const { from: _from, to: _to, ...equals } = filterShape;
/** A whole history: without `from` and `to`. */
export const historyQuery = {
  ...equals,
  groupBy: z.enum(DAILY_SPEND_GROUPS).default("team"),
  tz: timeZoneParam,
};
type HistoryQuery = CallFilter & { groupBy: DailySpendGroup; tz: string };

export type SpendHistory = {
  /** The days that are over, the oldest first; from the first spend on, where that is nearer. */
  days: readonly string[];
  today: string;
  /** Those on which most was spent, the dearest first. */
  groups: ReadonlyMap<string, GroupHistory>;
  /** The others as one; null where there are none. */
  others: (GroupHistory & { groups: number }) | null;
  total: GroupHistory;
};
/** `todayUsd`: so far. */
export type GroupHistory = { dailyUsd: readonly Decimal[]; todayUsd: Decimal };

export async function readHistory(
  { deps, caller }: { deps: ApiDeps; caller: Caller },
  { groupBy, tz, ...filter }: HistoryQuery,
): Promise<SpendHistory> {
  const nowNs = deps.clock.nowNs();
  const today = dayOf(tz, nowNs);
  const fromNs = startOfDayNs(tz, addDays(today, -HISTORY_DAYS));
  const spend = await deps.warehouse.listDailySpend(caller.workspace, {
    groupBy,
    filter: { ...readFilter(filter), range: { fromNs, toNs: startOfDayNs(tz, nextDay(today)) } },
    timeZone: tz,
  });
  const [first = today] = spend.map(({ day }) => day).sort();
  const days: string[] = [];
  for (let day = first; day < today; day = nextDay(day)) days.push(day);
  const positions = new Map([...days, today].map((day, index) => [day, index]));
  const none = (): Decimal[] => [...positions].map(() => ZERO);
  const [total, others] = [none(), none()];
  const [dearest, rest] = rankGroups(spend);
  const groups = new Map(dearest.map((group) => [group, none()]));
  for (const { group, day, costUsd } of spend) {
    const at = positions.get(day) ?? 0;
    for (const costs of [total, groups.get(group) ?? others]) costs[at] = (costs[at] ?? ZERO).plus(costUsd);
  }
  return {
    days,
    today,
    groups: new Map([...groups].map(([group, costs]) => [group, split(costs)])),
    others: rest.length === 0 ? null : { groups: rest.length, ...split(others) },
    total: split(total),
  };
}

function rankGroups(spend: readonly DailySpend[]): [dearest: string[], others: string[]] {
  const spentUsd = new Map<string, Decimal>();
  for (const { group, costUsd } of spend) spentUsd.set(group, (spentUsd.get(group) ?? ZERO).plus(costUsd));
  const ranked = [...spentUsd]
    .sort(([a, aUsd], [b, bUsd]) => bUsd.cmp(aUsd) || (a < b ? -1 : 1))
    .map(([group]) => group);
  return [ranked.slice(0, MOST_GROUPS), ranked.slice(MOST_GROUPS)];
}

const split = (costs: readonly Decimal[]): GroupHistory => ({
  dailyUsd: costs.slice(0, -1),
  todayUsd: costs.at(-1) ?? ZERO,
});
