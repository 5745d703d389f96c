import { callRowSchema } from "@centspan/model";
import { z } from "zod";
import { filterShape, pageShape, readFilter, readPage, text } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toCallRow } from "../rows.ts";

export const listCalls = defineRoute({
  id: "listCalls",
  method: "GET",
  path: "/calls",
  summary: "Canonical calls, newest first, with token buckets and charge lines",
  needs: "figures.read",
  query: z.strictObject({ ...filterShape, spanId: text.optional(), ...pageShape }),
  body: z.undefined(),
  answer: z.object({ data: z.array(callRowSchema), nextCursor: z.string().nullable() }),
  async run({ deps, caller, query: { limit, cursor, spanId, ...filter } }) {
    const page = await deps.warehouse.listCalls(
      caller.workspace,
      { ...readFilter(filter), ...(spanId !== undefined && { spanId }) },
      readPage({ limit, cursor }),
    );
    return { data: page.data.map(toCallRow), nextCursor: page.nextCursor };
  },
});
