/** Organisations, their workspaces and the teams within: made when first named, so that repeating a set-up is harmless. */
import { CentspanError } from "@centspan/base";
import type { OrgStore } from "@centspan/model";
import { asc, eq } from "drizzle-orm";
import { orgs, teams, workspaces } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, transact } from "./transact.ts";

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
        if (stored?.org !== org) {
          throw new CentspanError("conflict", `Workspace ${workspace.id} belongs to another organisation.`);
        }
      });
    },

    listWorkspaces: (org) =>
      db
        .select({ id: workspaces.id, name: workspaces.name, createdAt: workspaces.createdAt })
        .from(workspaces)
        .where(eq(workspaces.org, org))
        .orderBy(asc(workspaces.id)),

    async ensureTeam(workspace, team) {
      const { name, department } = team;
      try {
        await db
          .insert(teams)
          .values({ workspace, ...team })
          .onConflictDoUpdate({ target: [teams.workspace, teams.id], set: { name, department } });
      } catch (thrown) {
        if (violatedConstraint(thrown) === null) throw thrown;
        throw new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
      }
    },

    listTeams: (workspace) =>
      db
        .select({ id: teams.id, name: teams.name, department: teams.department })
        .from(teams)
        .where(eq(teams.workspace, workspace))
        .orderBy(asc(teams.id)),
  };
}
