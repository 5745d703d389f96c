import { COST_GROUPS, costRowSchema } from "@centspan/model";
import { z } from "zod";
import { filterShape, readFilter, timeZoneParam } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toCostRow } from "../rows.ts";

export const sumCosts = defineRoute({
  id: "sumCosts",
  method: "GET",
  path: "/cost",
  summary: "Spend, calls and tokens by group",
  needs: "figures.read",
  query: z.strictObject({ ...filterShape, groupBy: z.enum(COST_GROUPS), tz: timeZoneParam }),
  body: z.undefined(),
  answer: z.object({ data: z.array(costRowSchema), nextCursor: z.null() }),
  async run({ deps, caller, query: { groupBy, tz, ...filter } }) {
    const sums = await deps.warehouse.sumCosts(caller.workspace, { groupBy, filter: readFilter(filter), timeZone: tz });
    return { data: sums.map(toCostRow), nextCursor: null };
  },
});
