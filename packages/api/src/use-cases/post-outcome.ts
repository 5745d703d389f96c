import { CentspanError, deriveId, parseInstant } from "@centspan/base";
import { type Outcome, outcomeInputSchema, outcomeRowSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toOutcomeRow } from "../rows.ts";

export const postOutcome = defineRoute({
  id: "postOutcome",
  method: "POST",
  path: "/outcomes",
  summary: "Says what a task, session, trace, commit or pull request came to; repeating it changes nothing",
  allow: ["api", "ingest"],
  query: z.strictObject({}),
  body: outcomeInputSchema,
  answer: outcomeRowSchema,
  successStatus: 201,
  async run({ deps, caller, body: { at, idempotencyKey, ...said } }) {
    const atNs = at === undefined ? deps.clock.nowNs() : parseInstant(at);
    if (atNs === null) throw new CentspanError("invalid_request", "body.at: is not ISO 8601", { field: "body.at" });
    const unique = idempotencyKey ?? JSON.stringify([said.subject, said.kind, said.status, said.source, at ?? ""]);
    const outcome: Outcome = { ...said, outcomeId: deriveId("outcome", caller.workspace, unique), atNs };
    await deps.warehouse.insertOutcomes(caller.workspace, [outcome]);
    return toOutcomeRow(outcome);
  },
});
