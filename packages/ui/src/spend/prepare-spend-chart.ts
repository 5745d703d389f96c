/**
 * Spend by day: the period, the one before it, and what is to come with its interval; odd days are marked.
 * Invariant: every day from the first to the last is there, with zero where nothing was spent; a period before without
 * any spend is left out.
 */
import type { CostRow, SpendAnomalyRow, SpendForecastAnswer } from "@centspan/model";
import { toGeometry } from "../format/decimal-text.ts";
import { formatDate, formatDay, type Language } from "../format/format-instant.ts";
import { columnDecimals, formatInterval, formatMoney } from "../format/format-money.ts";

export type SpendPoint = {
  label: string;
  before: number | null;
  now: number | null;
  expected: number | null;
  band: [number, number] | null;
  /** How far the interval reaches below and above what is expected. */
  reach: [number, number] | null;
  /** The height of its mark; null on a day like others. */
  odd: number | null;
  spendText: string | null;
  expectedText: string | null;
  intervalText: string | null;
  /** Groups that were odd on that day. */
  oddText: string | null;
};

type ChartInput = {
  /** By day, of both periods. */
  costs: readonly Pick<CostRow, "group" | "costUsd">[];
  firstDay: string;
  lastDay: string;
  beforeFirstDay: string;
  anomalies: readonly SpendAnomalyRow[];
  forecast: SpendForecastAnswer["total"]["days"];
};

const DAY_MS = 86_400_000;
const toDayNs = (day: string): bigint => BigInt(Date.parse(day)) * 1_000_000n;

export function listDaysOf(first: string, last: string): string[] {
  const count = Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1);
  return Array.from({ length: count }, (_, n) => new Date(Date.parse(first) + n * DAY_MS).toISOString().slice(0, 10));
}

export function prepareSpendChart(input: ChartInput, language: Language): SpendPoint[] {
  const { costs, firstDay, lastDay, beforeFirstDay, anomalies, forecast } = input;
  const costOf = new Map(costs.map(({ group, costUsd }) => [group, costUsd]));
  const coming = new Map(forecast.filter(({ day }) => day > lastDay).map((one) => [one.day, one]));
  const decimals = columnDecimals([...costOf.values(), ...forecast.map(({ expectedUsd }) => expectedUsd)]);
  const spentBefore = [...costOf.keys()].some((day) => day < firstDay);
  const days = [...listDaysOf(spentBefore ? beforeFirstDay : firstDay, lastDay), ...coming.keys()];
  const spansYears = new Set(days.map((day) => day.slice(0, 4))).size > 1;
  const oddOf = new Map<string, string[]>();
  for (const { day, group } of anomalies) oddOf.set(day, [...(oddOf.get(day) ?? []), group]);
  return days.map((day) => {
    const dayNs = toDayNs(day);
    const ahead = coming.get(day);
    const costUsd = ahead === undefined ? (costOf.get(day) ?? "0") : null;
    const odd = oddOf.get(day);
    return {
      label: (spansYears ? formatDate : formatDay)(dayNs, language),
      before: costUsd !== null && day < firstDay ? toGeometry(costUsd) : null,
      now: costUsd !== null && day >= firstDay ? toGeometry(costUsd) : null,
      expected: ahead === undefined ? null : toGeometry(ahead.expectedUsd),
      band: ahead === undefined ? null : [toGeometry(ahead.lowUsd), toGeometry(ahead.highUsd)],
      reach: ahead === undefined ? null : measureReach(ahead),
      odd: odd === undefined || costUsd === null ? null : toGeometry(costUsd),
      spendText: costUsd === null ? null : formatMoney(costUsd, decimals),
      expectedText: ahead === undefined ? null : formatMoney(ahead.expectedUsd, decimals),
      intervalText: ahead === undefined ? null : formatInterval(ahead.lowUsd, ahead.highUsd, decimals),
      oddText: odd === undefined ? null : odd.join(", "),
    };
  });
}

function measureReach({ lowUsd, expectedUsd, highUsd }: ChartInput["forecast"][number]): [number, number] {
  const expected = toGeometry(expectedUsd);
  return [expected - toGeometry(lowUsd), toGeometry(highUsd) - expected];
}
