/** Spend by group as days without gaps, for what is worked out from whole days; today apart, which is not over. */
import { type Decimal, dayOf, nextDay, startOfDayNs, sumDecimals, ZERO } from "@centspan/base";
import { type CallFilter, DAILY_SPEND_GROUPS, type DailySpendGroup } from "@centspan/model";
import { z } from "zod";
import { filterShape, readFilter, timeZoneParam } from "../queries.ts";
import type { ApiDeps, Caller } from "../route.ts";

/** As far back as a forecast looks. */
const HISTORY_DAYS = 84;

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
  groups: ReadonlyMap<string, GroupHistory>;
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
  const fromNs = startOfDayNs(tz, today) - BigInt(HISTORY_DAYS) * DAY_NS;
  const spend = await deps.warehouse.listDailySpend(caller.workspace, {
    groupBy,
    filter: { ...readFilter(filter), range: { fromNs, toNs: startOfDayNs(tz, nextDay(today)) } },
    timeZone: tz,
  });
  const [first = today] = spend.map(({ day }) => day).sort();
  const days: string[] = [];
  for (let day = first; day < today; day = nextDay(day)) days.push(day);
  const positions = new Map([...days, today].map((day, index) => [day, index]));
  const groups = new Map<string, Decimal[]>();
  for (const { group, day, costUsd } of spend) {
    const costs = groups.get(group) ?? [...positions].map(() => ZERO);
    costs[positions.get(day) ?? 0] = costUsd;
    groups.set(group, costs);
  }
  const all = [...groups.values()];
  const total = [...positions.values()].map((index) => sumDecimals(all.map((costs) => costs[index] ?? ZERO)));
  return {
    days,
    today,
    groups: new Map([...groups].map(([group, costs]) => [group, split(costs)])),
    total: split(total),
  };
}

const DAY_NS = 86_400_000_000_000n;

const split = (costs: readonly Decimal[]): GroupHistory => ({
  dailyUsd: costs.slice(0, -1),
  todayUsd: costs.at(-1) ?? ZERO,
});
