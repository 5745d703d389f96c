import { forecastSpend, type SpendForecast } from "@centspan/attribution";
import { CentspanError, type Decimal, formatDecimal, nextDay, sumDecimals } from "@centspan/base";
import { spendForecastSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { type GroupHistory, historyQuery, readHistory } from "./spend-history.ts";

const LEVEL = 0.8;
const MOST_DAYS_AHEAD = 92;

export const forecastCosts = defineRoute({
  id: "forecastCosts",
  method: "GET",
  path: "/cost/forecast",
  summary:
    "What the month will have cost at its end, for the groups on which most was spent, the others as one, and in total, with an 80% interval: a coming week is like one of the past ones, weekday by weekday",
  needs: "figures.read",
  query: z.strictObject({
    ...historyQuery,
    until: z.iso
      .date("is not a date such as 2026-12-31")
      .optional()
      .describe("last day of the period; the last of this month when absent"),
  }),
  body: z.undefined(),
  answer: spendForecastSchema,
  async run({ deps, caller, query: { until: asked, ...query } }) {
    const history = await readHistory({ deps, caller }, query);
    const { today } = history;
    const until = asked ?? lastOfMonth(today);
    const coming = daysBetween(today, until);
    const from = `${today.slice(0, 7)}-01`;
    const forecast = ({ dailyUsd, todayUsd }: GroupHistory): Forecast => {
      const overUsd = sumDecimals(dailyUsd.filter((_, index) => (history.days[index] ?? "") >= from));
      const options = { daysAhead: coming.length, level: LEVEL, seed: 1, resamples: 1000, beganUsd: todayUsd };
      return { overUsd, todayUsd, ahead: forecastSpend(dailyUsd, options) };
    };
    const rows = [...history.groups].map(([group, own]) => ({ group, ...forecast(own) }));
    rows.sort((a, b) => foreseen(b).cmp(foreseen(a)) || (a.group < b.group ? -1 : 1));
    const total = forecast(history.total);
    return {
      from,
      until,
      level: LEVEL,
      data: rows.map((row) => ({ group: row.group, ...toRow(row) })),
      others: history.others && { groups: history.others.groups, ...toRow(forecast(history.others)) },
      total: {
        group: "total",
        ...toRow(total),
        days: (total.ahead?.days ?? []).map((expected, index) => ({ day: coming[index] ?? "", ...format(expected) })),
      },
      nextCursor: null,
    };
  },
});

/** `overUsd`: of the days of the period that are over. */
type Forecast = { overUsd: Decimal; todayUsd: Decimal; ahead: SpendForecast | null };

const foreseen = ({ overUsd, todayUsd, ahead }: Forecast): Decimal =>
  overUsd.plus(ahead?.total.expectedUsd ?? todayUsd);

const format = ({ expectedUsd, lowUsd, highUsd }: SpendForecast["total"]) => ({
  expectedUsd: formatDecimal(expectedUsd),
  lowUsd: formatDecimal(lowUsd),
  highUsd: formatDecimal(highUsd),
});

function toRow({ overUsd, todayUsd, ahead }: Forecast) {
  const plus = (amount: Decimal | undefined) => (amount === undefined ? null : formatDecimal(overUsd.plus(amount)));
  return {
    spentUsd: formatDecimal(overUsd.plus(todayUsd)),
    expectedUsd: plus(ahead?.total.expectedUsd),
    lowUsd: plus(ahead?.total.lowUsd),
    highUsd: plus(ahead?.total.highUsd),
    method: ahead?.method ?? null,
  };
}

function lastOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

/** Both included. */
function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last && days.length <= MOST_DAYS_AHEAD; day = nextDay(day)) days.push(day);
  if (days.length > 0 && days.length <= MOST_DAYS_AHEAD) return days;
  throw new CentspanError("invalid_request", `until: must be between ${first} and ${MOST_DAYS_AHEAD - 1} days later`, {
    field: "until",
  });
}
