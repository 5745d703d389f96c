import { CentspanError } from "@centspan/base";
import { may, spanDetailSchema } from "@centspan/model";
import { z } from "zod";
import { hideSpanContent } from "../hide-content.ts";
import { defineRoute } from "../route.ts";
import { toSpanDetail } from "../rows.ts";

export const readSpan = defineRoute({
  id: "readSpan",
  method: "GET",
  path: "/traces/{traceId}/spans/{spanId}",
  summary: "One span whole; without its content for whoever lacks content.read",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: spanDetailSchema,
  async run({ deps, caller, params: { traceId = "", spanId = "" } }) {
    const span = await deps.warehouse.readSpan(caller.workspace, traceId, spanId);
    if (span === null)
      throw new CentspanError("not_found", `span ${spanId} of trace ${traceId}: not in this workspace`);
    const detail = toSpanDetail(span);
    return may(caller.principal, "content.read") ? detail : hideSpanContent(detail);
  },
});
