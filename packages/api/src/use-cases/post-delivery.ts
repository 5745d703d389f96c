/** What a feed reports of subjects that it names itself: one route per feed. Heard of again, it is the same outcome. */
import { CentspanError, deriveId } from "@centspan/base";
import { type Outcome, type OutcomeFeed, outcomeRowSchema } from "@centspan/model";
import { z } from "zod";
import { type ApiDeps, type Caller, defineRoute, type Route } from "../route.ts";
import { toOutcomeRow } from "../rows.ts";
import { storeOutcomes } from "./store-outcomes.ts";

type Asked = { deps: ApiDeps; caller: Caller };

export const createDeliveryRoute = (feed: OutcomeFeed): Route =>
  defineRoute({
    id: `postDelivery_${feed.id}`,
    method: "POST",
    path: `/outcomes/${feed.id}`,
    summary: feed.describe,
    needs: "outcomes.write",
    query: z.strictObject({
      key: z.string().max(100).optional().describe("id of the ingest key whose webhook secret the sender knows"),
    }),
    body: z.string().min(1, "must hold the report"),
    bodyIsText: true,
    reportOf: feed.id,
    ...(feed.isSigned && { isSigned: feed.isSigned }),
    answer: z.object({ data: z.array(outcomeRowSchema), nextCursor: z.null() }),
    successStatus: 201,
    async run({ deps, caller, body, header }) {
      const nowNs = deps.clock.nowNs();
      const outcomes = feed.read({ body, header }).map(
        ({ identity, atNs, ...finding }): Outcome => ({
          ...finding,
          weight: 1,
          source: feed.id,
          atNs: atNs ?? nowNs,
          outcomeId: deriveId("outcome", caller.workspace, feed.id, identity),
        }),
      );
      const turned = await turnBack({ deps, caller }, outcomes);
      const stored = await storeOutcomes({ deps, caller }, [...outcomes, ...turned], refuseContradiction);
      return { data: stored.map(toOutcomeRow), nextCursor: null };
    },
  });

/** What the merge of a request said of other work is so no longer when the request is reverted: a revert of a revert restores. */
async function turnBack({ deps, caller }: Asked, outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const reverts = new Map(
    outcomes.flatMap((outcome) => {
      const { pullRequest } = outcome.subject;
      return pullRequest === undefined || outcome.evidence.revertedBy === undefined
        ? []
        : [[pullRequest, outcome] as const];
    }),
  );
  if (reverts.size === 0) return [];
  const said = await deps.warehouse.listOutcomes(caller.workspace, { saidByRequests: [...reverts.keys()] });
  return said.flatMap(({ evidence: { revertedBy, restoredBy, ...evidence }, ...before }): Outcome[] => {
    const revert = reverts.get(String(revertedBy ?? restoredBy));
    if (revert === undefined) return [];
    const isRestored = revertedBy !== undefined;
    return [
      {
        ...before,
        status: isRestored ? "passed" : "failed",
        evidence: { ...evidence, [isRestored ? "restoredBy" : "revertedBy"]: revert.evidence.revertedBy ?? "" },
        atNs: revert.atNs,
        outcomeId: deriveId("outcome", caller.workspace, "turned back", before.outcomeId, revert.outcomeId),
      },
    ];
  });
}

/** A host that sends a delivery again says the same. */
function refuseContradiction(before: Outcome, { kind, status }: Outcome): void {
  if (before.kind === kind && before.status === status) return;
  throw new CentspanError("conflict", `body: says ${status} of what the same event said ${before.status} of before`, {
    field: "body",
  });
}
