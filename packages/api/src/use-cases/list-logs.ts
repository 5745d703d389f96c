import { logRowSchema, may } from "@centspan/model";
import { z } from "zod";
import { hideLogContent, requirePlain } from "../hide-content.ts";
import { attributeParam, pageShape, pickGiven, rangeShape, readPage, readRange, text } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toLogRow } from "../signal-rows.ts";

export const listLogs = defineRoute({
  id: "listLogs",
  method: "GET",
  path: "/logs",
  summary: "Log records, newest first, of a trace, session, service or event; a retried export shows once",
  needs: "figures.read",
  query: z.strictObject({
    ...rangeShape,
    traceId: text.optional(),
    sessionId: text.optional(),
    service: text.optional(),
    eventName: text.optional(),
    attribute: attributeParam.optional(),
    ...pageShape,
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(logRowSchema), nextCursor: z.string().nullable() }),
  async run({ deps, caller, query }) {
    const seesContent = may(caller.principal, "content.read");
    requirePlain(caller.principal, query.attribute);
    const filter = {
      ...readRange(query),
      ...pickGiven(query, ["traceId", "sessionId", "service", "eventName"]),
      ...(query.attribute === undefined ? {} : { attribute: query.attribute }),
    };
    const page = await deps.warehouse.listLogs(caller.workspace, filter, readPage(query));
    const rows = page.data.map(toLogRow);
    return { data: seesContent ? rows : rows.map(hideLogContent), nextCursor: page.nextCursor };
  },
});
