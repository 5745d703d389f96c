import { findAnomalies } from "@centspan/attribution";
import { formatDecimal } from "@centspan/base";
import { spendAnomaliesSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { historyQuery, readHistory } from "./spend-history.ts";

export const listCostAnomalies = defineRoute({
  id: "listCostAnomalies",
  method: "GET",
  path: "/cost/anomalies",
  summary:
    "Days on which a group spent far more or less than on days of that name before, the latest first; a group is judged from its fourth week on, if it is among those on which most was spent",
  needs: "figures.read",
  query: z.strictObject(historyQuery),
  body: z.undefined(),
  answer: spendAnomaliesSchema,
  async run({ deps, caller, query }) {
    const { days, groups, others } = await readHistory({ deps, caller }, query);
    const data = [...groups].flatMap(([group, { dailyUsd }]) =>
      findAnomalies(dailyUsd).map(({ index, costUsd, expectedUsd, score }) => ({
        group,
        day: days[index] ?? "",
        costUsd: formatDecimal(costUsd),
        expectedUsd: formatDecimal(expectedUsd),
        score,
      })),
    );
    data.sort((a, b) =>
      a.day === b.day ? Math.abs(b.score ?? Infinity) - Math.abs(a.score ?? Infinity) : a.day < b.day ? 1 : -1,
    );
    return { data, others: others?.groups ?? 0, nextCursor: null };
  },
});
