import { isDeepStrictEqual } from "node:util";
import { CentspanError, deriveId } from "@centspan/base";
import { type Outcome, outcomeInputSchema, outcomeRowSchema } from "@centspan/model";
import { z } from "zod";
import { instantParam } from "../queries.ts";
import { defineRoute } from "../route.ts";
import { toOutcomeRow } from "../rows.ts";

export const postOutcome = defineRoute({
  id: "postOutcome",
  method: "POST",
  path: "/outcomes",
  summary: "Says what a task, session, trace, commit or pull request came to; repeating it changes nothing",
  allow: ["api", "ingest"],
  query: z.strictObject({}),
  body: outcomeInputSchema.extend({ at: instantParam.optional().describe("ISO 8601; now when absent") }),
  answer: outcomeRowSchema,
  successStatus: 201,
  async run({ deps, caller, body: { at, idempotencyKey, ...said } }) {
    const unique = idempotencyKey ?? JSON.stringify([said.subject, said.kind, said.status, said.source, String(at)]);
    const outcomeId = deriveId("outcome", caller.workspace, unique);
    const [stored] =
      idempotencyKey === undefined ? [] : await deps.warehouse.listOutcomes(caller.workspace, { outcomeId });
    const outcome: Outcome = { ...said, outcomeId, atNs: at ?? stored?.atNs ?? deps.clock.nowNs() };
    if (stored !== undefined && !isDeepStrictEqual(stored, outcome)) {
      throw new CentspanError("conflict", "body.idempotencyKey: was used for another outcome", {
        field: "body.idempotencyKey",
      });
    }
    await deps.warehouse.insertOutcomes(caller.workspace, [outcome]);
    return toOutcomeRow(outcome);
  },
});
