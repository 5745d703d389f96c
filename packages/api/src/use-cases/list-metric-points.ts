import { metricPointRowSchema } from "@centspan/model";
import { z } from "zod";
import { pageShape, pickGiven, rangeShape, readPage, readRange, text } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toMetricPointRow } from "../signal-rows.ts";

export const listMetricPoints = defineRoute({
  id: "listMetricPoints",
  method: "GET",
  path: "/metrics",
  summary: "Data points of metrics, newest first, by name, service or session; a retried export shows once",
  needs: "figures.read",
  query: z.strictObject({
    ...rangeShape,
    name: text.optional(),
    service: text.optional(),
    sessionId: text.optional(),
    ...pageShape,
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(metricPointRowSchema), nextCursor: z.string().nullable() }),
  async run({ deps, caller, query }) {
    const filter = { ...readRange(query), ...pickGiven(query, ["name", "service", "sessionId"]) };
    const page = await deps.warehouse.listMetricPoints(caller.workspace, filter, readPage(query));
    return { data: page.data.map(toMetricPointRow), nextCursor: page.nextCursor };
  },
});
