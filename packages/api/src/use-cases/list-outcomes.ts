import { outcomeRowSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toOutcomeRow } from "../rows.ts";

export const listOutcomes = defineRoute({
  id: "listOutcomes",
  method: "GET",
  path: "/outcomes",
  summary: "Outcomes of a task or run, newest first",
  needs: "figures.read",
  query: z
    .strictObject({ task: z.string().min(1).optional(), runId: z.string().min(1).optional() })
    .refine(({ task, runId }) => task !== undefined || runId !== undefined, {
      path: ["task"],
      message: "is missing; task or runId is needed",
    }),
  body: z.undefined(),
  answer: z.object({ data: z.array(outcomeRowSchema), nextCursor: z.null() }),
  async run({ deps, caller, query: { task, runId } }) {
    const outcomes = await deps.warehouse.listOutcomes(caller.workspace, {
      ...(task === undefined ? {} : { task }),
      ...(runId === undefined ? {} : { runId }),
    });
    return { data: outcomes.map(toOutcomeRow), nextCursor: null };
  },
});
