/** Totals of the token and cost counters that came as metrics. They check what was billed and are never billed themselves. */
import { sumMetricTotals, usageMetricNames } from "@centspan/attribution";
import { CentspanError } from "@centspan/base";
import { type MetricPoint, metricTotalRowSchema } from "@centspan/model";
import { z } from "zod";
import { rangeShape, readRange } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toMetricTotalRow } from "../signal-rows.ts";

/** Half a total would look like one, so more points than this are refused. */
const POINTS_MAX = 100_000;

export const sumMetrics = defineRoute({
  id: "sumMetrics",
  method: "GET",
  path: "/metric-totals",
  summary:
    "Token and cost totals that emitters reported as metrics, by model and session. Totals are never billed: calls are. " +
    "`reconcileOnly`: calls of the same session are known, and the total only checks them. A cumulative counter says what " +
    "it has counted since its own start.",
  needs: "figures.read",
  query: z.strictObject(rangeShape),
  body: z.undefined(),
  answer: z.object({ data: z.array(metricTotalRowSchema), nextCursor: z.null() }),
  async run({ deps, caller, query }) {
    const filter = readRange(query);
    const points: MetricPoint[] = [];
    for (const name of usageMetricNames) await readPoints(name);
    const sessionIds = sumMetricTotals(points, { callsBySession: new Set() }).map(({ sessionId }) => sessionId);
    const known = await deps.warehouse.listSessionsWithCalls(caller.workspace, [...new Set(sessionIds)]);
    return {
      data: sumMetricTotals(points, { callsBySession: new Set(known) }).map(toMetricTotalRow),
      nextCursor: null,
    };

    async function readPoints(name: string): Promise<void> {
      let cursor: string | null = null;
      do {
        const page = await deps.warehouse.listMetricPoints(
          caller.workspace,
          { ...filter, name },
          { limit: 1000, cursor },
        );
        points.push(...page.data);
        cursor = page.nextCursor;
        if (points.length > POINTS_MAX) {
          throw new CentspanError(
            "invalid_request",
            `from: more than ${POINTS_MAX} data points since; say a shorter time`,
            {
              field: "from",
            },
          );
        }
      } while (cursor !== null);
    }
  },
});
