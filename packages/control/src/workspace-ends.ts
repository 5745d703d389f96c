/**
 * The end of a workspace. First it is hidden, with its keys and members gone, in one step; then its rows are deleted, by whoever
 * runs the worker. What stays is its id, so that nothing that comes late can show up in another workspace of that name.
 */
import { CentspanError } from "@centspan/base";
import type { WorkspaceEnds } from "@centspan/model";
import { and, asc, eq, isNotNull, isNull, lt, ne, sql } from "drizzle-orm";
import { invitations, members } from "./people-schema.ts";
import { insertAudit } from "./period-store.ts";
import {
  acceptancePolicies,
  approvals,
  auditLog,
  budgets,
  commitmentLines,
  commitments,
  completionRules,
  contractPrices,
  evaluationSets,
  exchangeRates,
  keys,
  periods,
  recommendations,
  reportRefusals,
  retentionPolicies,
  reviewRates,
  simulations,
  statementLines,
  studies,
  teams,
  unratedUnits,
  workspaces,
} from "./schema.ts";
import { type Database, transact } from "./transact.ts";

/** In an order in which none is referred to by one that is left. Accounts and leases of budgets go with them. */
const TABLES = [
  statementLines,
  commitmentLines,
  periods,
  budgets,
  approvals,
  auditLog,
  commitments,
  completionRules,
  contractPrices,
  evaluationSets,
  exchangeRates,
  recommendations,
  reportRefusals,
  retentionPolicies,
  reviewRates,
  simulations,
  studies,
  acceptancePolicies,
  unratedUnits,
  keys,
  teams,
];

/** A row of one that was purged has no name any more. */
const PURGED = "";

export function createWorkspaceEnds(db: Database): WorkspaceEnds {
  return {
    deleteWorkspace: (workspace, actor) =>
      transact(db, async (tx) => {
        const [own] = await tx.select().from(workspaces).where(eq(workspaces.id, workspace)).for("update");
        if (own === undefined || own.deletedAt !== null)
          throw new CentspanError("not_found", `There is no workspace ${workspace}.`);
        const [first] = await tx
          .select({ id: workspaces.id })
          .from(workspaces)
          .where(eq(workspaces.org, own.org))
          .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
          .limit(1);
        if (first?.id === workspace)
          throw new CentspanError(
            "conflict",
            "workspace: the first of an organisation stays, as services start with it",
          );
        await tx.update(workspaces).set({ deletedAt: sql`now()` }).where(eq(workspaces.id, workspace));
        await tx
          .update(keys)
          .set({ revokedAt: sql`now()` })
          .where(and(eq(keys.workspace, workspace), isNull(keys.revokedAt)));
        await tx.delete(members).where(eq(members.workspace, workspace));
        await tx.delete(invitations).where(eq(invitations.workspace, workspace));
        // What is left to tell stands where the organisation's other workspaces are looked after.
        const details = { name: own.name };
        await insertAudit(tx, first?.id ?? workspace, {
          actor,
          action: "workspace.deleted",
          subject: workspace,
          details,
        });
      }),

    async listDeletedWorkspaces() {
      const rows = await db
        .select({ id: workspaces.id })
        .from(workspaces)
        .where(
          and(
            isNotNull(workspaces.deletedAt),
            lt(workspaces.deletedAt, sql`now() - interval '1 minute'`),
            ne(workspaces.name, PURGED),
          ),
        );
      return rows.map(({ id }) => id);
    },

    purgeWorkspace: (workspace) =>
      transact(db, async (tx) => {
        const [own] = await tx
          .select({ deletedAt: workspaces.deletedAt })
          .from(workspaces)
          .where(eq(workspaces.id, workspace));
        if (own?.deletedAt == null) throw new CentspanError("conflict", `Workspace ${workspace} was not deleted.`);
        for (const table of TABLES) await tx.delete(table).where(eq(table.workspace, workspace));
        await tx.update(workspaces).set({ name: PURGED }).where(eq(workspaces.id, workspace));
      }),
  };
}
