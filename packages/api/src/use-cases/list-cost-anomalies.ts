import { findAnomalies } from "@centspan/attribution";
import { formatDecimal } from "@centspan/base";
import { spendAnomalySchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { historyQuery, readHistory } from "./spend-history.ts";

export const listCostAnomalies = defineRoute({
  id: "listCostAnomalies",
  method: "GET",
  path: "/cost/anomalies",
  summary:
    "Days on which a group spent far more or less than on days of that name before, the latest first; a group is judged from its fourth week on",
  allow: ["api"],
  query: z.strictObject(historyQuery),
  body: z.undefined(),
  answer: z.object({ data: z.array(spendAnomalySchema), nextCursor: z.null() }),
  async run({ deps, caller, query }) {
    const { days, groups } = await readHistory({ deps, caller }, query);
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
    return { data, nextCursor: null };
  },
});
