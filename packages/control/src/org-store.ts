/** Organisations, their workspaces and the teams within: made when first named, so that repeating a set-up is harmless. */
import { CentspanError } from "@centspan/base";
import type { OrgStore, Team } from "@centspan/model";
import { and, asc, eq, isNull } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { orgs, teams, workspaces } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, transact } from "./transact.ts";

async function upsertTeam(db: Pick<Database, "insert">, workspace: string, team: Team): Promise<void> {
  const { name, department } = team;
  await db
    .insert(teams)
    .values({ workspace, ...team })
    .onConflictDoUpdate({ target: [teams.workspace, teams.id], set: { name, department } });
}

async function explained(workspace: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (violatedConstraint(thrown) === null) throw thrown;
    throw new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
  }
}

export function createOrgStore(db: Database): OrgStore {
  return {
    async ensureWorkspace(org, workspace) {
      await transact(db, async (tx) => {
        await tx.insert(orgs).values({ id: org }).onConflictDoNothing();
        await tx
          .insert(workspaces)
          .values({ ...workspace, org })
          .onConflictDoNothing();
        const [stored] = await tx.select().from(workspaces).where(eq(workspaces.id, workspace.id));
        if (stored !== undefined && stored.deletedAt !== null)
          throw new CentspanError("conflict", `Workspace ${workspace.id} was deleted; its id is not given again.`);
        if (stored?.org !== org) {
          throw new CentspanError("conflict", `Workspace ${workspace.id} belongs to another organisation.`);
        }
      });
    },

    listWorkspaces: (org) =>
      db
        .select({ id: workspaces.id, name: workspaces.name, createdAt: workspaces.createdAt })
        .from(workspaces)
        .where(and(eq(workspaces.org, org), isNull(workspaces.deletedAt)))
        .orderBy(asc(workspaces.id)),

    ensureTeam: (workspace, team) => explained(workspace, () => upsertTeam(db, workspace, team)),

    saveTeam: (workspace, team, actor) =>
      explained(workspace, () =>
        transact(db, async (tx) => {
          await upsertTeam(tx, workspace, team);
          const { id, name, department } = team;
          await insertAudit(tx, workspace, { actor, action: "team.saved", subject: id, details: { name, department } });
        }),
      ),

    listTeams: (workspace) =>
      db
        .select({ id: teams.id, name: teams.name, department: teams.department })
        .from(teams)
        .where(eq(teams.workspace, workspace))
        .orderBy(asc(teams.id)),
  };
}
