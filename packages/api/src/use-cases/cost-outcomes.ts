import { costPerOutcome } from "@centspan/attribution";
import { OUTCOME_GROUPS, outcomeCostRowSchema } from "@centspan/model";
import { z } from "zod";
import { filterShape, readFilter, timeZoneParam } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toOutcomeCostRow } from "../rows.ts";

export const costOutcomes = defineRoute({
  id: "costOutcomes",
  method: "GET",
  path: "/outcomes/cost",
  summary: "Cost per passing outcome by group, failed attempts included, with bootstrap interval by task",
  allow: ["api"],
  query: z.strictObject({ ...filterShape, groupBy: z.enum(OUTCOME_GROUPS), tz: timeZoneParam }),
  body: z.undefined(),
  answer: z.object({ data: z.array(outcomeCostRowSchema), total: outcomeCostRowSchema, nextCursor: z.null() }),
  async run({ deps, caller, query: { groupBy, tz, ...filter } }) {
    const tasks = await deps.warehouse.listTaskSpend(caller.workspace, {
      groupBy,
      filter: readFilter(filter),
      timeZone: tz,
    });
    const { rows, total } = costPerOutcome(tasks, { level: 0.95, seed: 1, resamples: 2000 });
    return { data: rows.map(toOutcomeCostRow), total: toOutcomeCostRow(total), nextCursor: null };
  },
});
