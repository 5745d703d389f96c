import { CentspanError } from "@centspan/base";
import { spanFactsSchema } from "@centspan/model";
import { z } from "zod";
import { text } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toSpanRow } from "./read-trace.ts";

const MOST_IDS = 200;
const MOST_OF_NAME = 5000;

export const listSpanRows = defineRoute({
  id: "listSpanRows",
  method: "GET",
  path: "/traces/{traceId}/spans",
  summary:
    `Spans of a run with the facts of their rows: up to ${MOST_IDS} by id, with linked=true and what they link to elsewhere, ` +
    `or up to ${MOST_OF_NAME} of a name`,
  needs: "figures.read",
  query: z.strictObject({
    ids: z
      .string()
      .regex(/^[0-9a-f]{16}(,[0-9a-f]{16}){0,199}$/, `is not a list of up to ${MOST_IDS} span ids`)
      .transform((said) => said.split(","))
      .optional()
      .describe("span ids, by comma"),
    name: text.optional(),
    linked: z.enum(["true", "false"]).default("false"),
  }),
  body: z.undefined(),
  answer: z.object({ data: z.array(spanFactsSchema), nextCursor: z.null() }),
  async run({ deps, caller, params: { traceId = "" }, query: { ids, name, linked } }) {
    const spans = await deps.warehouse.readSpanRows(
      caller.workspace,
      traceId,
      chooseSpans(ids, name, linked === "true"),
    );
    const data = spans.map((span) => {
      const { costUsd: _unknown, ...facts } = toSpanRow(span, undefined);
      return facts;
    });
    return { data, nextCursor: null };
  },
});

function chooseSpans(ids: string[] | undefined, name: string | undefined, linked: boolean) {
  if (ids !== undefined && name === undefined) return { spanIds: ids, linked };
  if (ids === undefined && name !== undefined && !linked) return { name, limit: MOST_OF_NAME };
  throw new CentspanError("invalid_request", "ids: or a name, one of the two; linked goes with ids", { field: "ids" });
}
