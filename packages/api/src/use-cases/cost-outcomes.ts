import { costPerOutcome, findCheapest } from "@centspan/attribution";
import { cheapestSchema, OUTCOME_GROUPS, outcomeCostRowSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toOutcomeCostRow } from "../rows.ts";
import { cohortShape, readCohort } from "./outcome-cohorts.ts";

export const costOutcomes = defineRoute({
  id: "costOutcomes",
  method: "GET",
  path: "/outcomes/cost",
  summary:
    "Cost per passing outcome by group, with failed attempts, retries, sub-agents, judges and review, and its interval",
  needs: "figures.read",
  query: z.strictObject({ ...cohortShape, groupBy: z.enum(OUTCOME_GROUPS) }),
  body: z.undefined(),
  answer: z.object({
    data: z.array(outcomeCostRowSchema),
    total: outcomeCostRowSchema,
    cheapest: cheapestSchema.nullable().describe("the named group whose passes cost least; null of fewer than two"),
    nextCursor: z.null(),
  }),
  async run({ deps, caller, query: { groupBy, ...query } }) {
    const { slices, options } = await readCohort({ deps, caller }, query, groupBy);
    const { rows, total } = costPerOutcome(slices, options);
    return {
      data: rows.map(toOutcomeCostRow),
      total: toOutcomeCostRow(total),
      cheapest: findCheapest(rows, options.level),
      nextCursor: null,
    };
  },
});
