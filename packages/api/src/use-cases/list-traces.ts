import { may, traceRowSchema } from "@centspan/model";
import { z } from "zod";
import { requirePlain } from "../hide-content.ts";
import {
  attributeParam,
  filterShape,
  moneyParam,
  pageShape,
  pickGiven,
  readFilter,
  readPage,
  statusParam,
  text,
} from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toTraceRow } from "../rows.ts";

export const listTraces = defineRoute({
  id: "listTraces",
  method: "GET",
  path: "/traces",
  summary:
    "Runs, newest first, with cost and outcome. A trace that serves more than 1000 tasks, runs and sessions is found by " +
    "1000 of them.",
  needs: "figures.read",
  query: z.strictObject({
    ...filterShape,
    ...pageShape,
    sessionId: text.optional(),
    attribute: attributeParam.optional(),
    status: statusParam,
    minCostUsd: moneyParam.optional(),
    onlyRuns: z.enum(["true", "false"]).default("false"),
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(traceRowSchema), nextCursor: z.string().nullable() }),
  async run({ deps, caller, query: { status, minCostUsd, onlyRuns, attribute, sessionId, limit, cursor, ...filter } }) {
    requirePlain(caller.principal, attribute);
    const page = await deps.warehouse.listTraces(
      caller.workspace,
      {
        ...readFilter(filter),
        onlyRuns: onlyRuns === "true",
        ...pickGiven({ sessionId }, ["sessionId"]),
        ...(attribute === undefined ? {} : { attribute }),
        ...(status === undefined ? {} : { status }),
        ...(minCostUsd === undefined ? {} : { minCostUsd }),
      },
      readPage({ limit, cursor }),
    );
    const traceIds = page.data.map(({ traceId }) => traceId);
    const [waste, works] = await Promise.all([
      deps.warehouse.sumTraceWaste(caller.workspace, traceIds),
      deps.warehouse.readWorkOfTraces(caller.workspace, traceIds),
    ]);
    const showsContent = may(caller.principal, "content.read");
    const besides = (id: string) => ({
      ...{ anomalies: [], showsContent },
      wasteUsd: waste.get(id) ?? null,
      work: works.get(id),
    });
    return {
      data: page.data.map((trace) => toTraceRow(trace, besides(trace.traceId))),
      nextCursor: page.nextCursor,
    };
  },
});
