import { isDeepStrictEqual } from "node:util";
import { CentspanError, deriveId } from "@centspan/base";
import { type Outcome, outcomeInputSchema, outcomeRowSchema } from "@centspan/model";
import { z } from "zod";
import { instantParam } from "../queries.ts";
import { type ApiDeps, type Caller, defineRoute } from "../route.ts";
import { toOutcomeRow } from "../rows.ts";
import { storeOutcomes } from "./store-outcomes.ts";

export const postOutcome = defineRoute({
  id: "postOutcome",
  method: "POST",
  path: "/outcomes",
  summary: "Says what a task, session, trace, commit or pull request came to; repeating it changes nothing",
  needs: "outcomes.write",
  query: z.strictObject({}),
  body: outcomeInputSchema.extend({ at: instantParam.optional().describe("ISO 8601; now when absent") }),
  answer: outcomeRowSchema,
  successStatus: 201,
  async run({ deps, caller, body: { at, idempotencyKey, ...said } }) {
    if (said.kind === "approved" && caller.principal.kind !== "api") {
      throw new CentspanError(
        "forbidden",
        "An ingest key can't approve: a person does, by a link, or a key of kind api says so.",
      );
    }
    const unique = idempotencyKey ?? JSON.stringify([said, String(at ?? (await findOpposed({ deps, caller }, said)))]);
    const outcomeId = deriveId("outcome", caller.workspace, unique);
    const outcome: Outcome = { ...said, outcomeId, atNs: at ?? deps.clock.nowNs() };
    const [stored = outcome] = await storeOutcomes({ deps, caller }, [outcome], (before) => {
      if (isDeepStrictEqual(before, { ...outcome, atNs: at ?? before.atNs })) return;
      throw new CentspanError("conflict", "body.idempotencyKey: was used for another outcome", {
        field: "body.idempotencyKey",
      });
    });
    return toOutcomeRow(stored);
  },
});

/** The last outcome that said otherwise: what is said after it is said anew, and said again before it is the same. */
async function findOpposed(
  { deps, caller }: { deps: ApiDeps; caller: Caller },
  { subject, kind, source, status }: Omit<Outcome, "outcomeId" | "atNs">,
): Promise<string | undefined> {
  const said = await deps.warehouse.listOutcomes(caller.workspace, { subject });
  return said.find((one) => one.kind === kind && one.source === source && one.status !== status)?.outcomeId;
}
