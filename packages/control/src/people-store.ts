/**
 * Who is a member of a workspace, and who is asked to become one. Each change is in the audit log of the workspace.
 * Invariants: a workspace that has had an owner keeps one; an invitation is good once, until its end, for one address.
 */
import { createHash, randomBytes } from "node:crypto";
import { CentspanError, createId } from "@centspan/base";
import type { Invitation, PeopleStore } from "@centspan/model";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import { invitations, members, people } from "./people-schema.ts";
import { insertAudit } from "./period-store.ts";
import { workspaces } from "./schema.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, type Transaction, transact } from "./transact.ts";

const INVITATION_DAYS = 7;
const RESET_HOURS = 24;

const invitationColumns = {
  invitationId: invitations.id,
  workspace: invitations.workspace,
  email: invitations.email,
  role: invitations.role,
  isReset: invitations.isReset,
  invitedBy: invitations.invitedBy,
  expiresAt: invitations.expiresAt,
};

const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();
const isOpen = gt(invitations.expiresAt, sql`now()`);

type Asked = Pick<Invitation, "workspace" | "email" | "role" | "isReset">;

async function insertInvitation(tx: Transaction, asked: Asked, actor: string): Promise<Invitation & { token: string }> {
  const token = randomBytes(32).toString("base64url");
  const hours = asked.isReset ? RESET_HOURS : INVITATION_DAYS * 24;
  const fresh = {
    ...asked,
    id: createId("inv"),
    tokenHash: hashToken(token),
    invitedBy: actor,
    expiresAt: sql`now() + make_interval(hours => ${hours})`,
  };
  const { workspace: _own, email: _address, ...set } = fresh;
  const [row] = await tx
    .insert(invitations)
    .values(fresh)
    .onConflictDoUpdate({ target: [invitations.workspace, invitations.email], set })
    .returning(invitationColumns);
  if (row === undefined) throw new CentspanError("store_unavailable", "the invitation was not kept");
  return { ...row, token };
}

/** Makes everybody who is invited by that address a member; only for whom the address is known to be theirs. */
export async function acceptInvitations(db: Database, person: { id: string; email: string }): Promise<void> {
  await transact(db, async (tx) => {
    const open = await tx
      .delete(invitations)
      .where(and(eq(invitations.email, person.email), eq(invitations.isReset, false), isOpen))
      .returning(invitationColumns);
    for (const invitation of open) await insertMember(tx, invitation, person);
  });
}

/** Takes what the token is for; null where it is no longer good. */
export async function takeInvitation(tx: Transaction, token: string): Promise<Invitation | null> {
  const [taken] = await tx
    .delete(invitations)
    .where(and(eq(invitations.tokenHash, hashToken(token)), isOpen))
    .returning(invitationColumns);
  return taken ?? null;
}

export async function insertMember(
  tx: Transaction,
  { workspace, role }: Pick<Invitation, "workspace" | "role">,
  person: { id: string; email: string },
): Promise<void> {
  // Who is a member already keeps the role: it may have been changed since the invitation.
  const added = await tx
    .insert(members)
    .values({ workspace, person: person.id, role })
    .onConflictDoNothing()
    .returning();
  if (added.length === 0) return;
  const actor = `${person.email} (${person.id})`;
  await insertAudit(tx, workspace, { actor, action: "member.joined", subject: person.id, details: { role } });
}

/** Of one workspace one after the other: two owners who remove each other would leave none. */
async function requireOwner(tx: Transaction, workspace: string, personId: string): Promise<void> {
  const owners = await tx
    .select({ person: members.person })
    .from(members)
    .where(and(eq(members.workspace, workspace), eq(members.role, "owner")))
    .for("update");
  if (owners.some(({ person }) => person !== personId)) return;
  if (owners.length === 0) return;
  throw new CentspanError(
    "conflict",
    "role: the workspace would be left without an owner; make somebody else one first",
    {
      field: "role",
    },
  );
}

const memberOf = (workspace: string, personId: string) =>
  and(eq(members.workspace, workspace), eq(members.person, personId));

const noMember = (who: string): CentspanError =>
  new CentspanError("not_found", `There is no member ${who} in this workspace.`);

export function createPeopleStore(db: Database): PeopleStore {
  const listInvited = (workspace: string): Promise<Invitation[]> =>
    db
      .select(invitationColumns)
      .from(invitations)
      .where(and(eq(invitations.workspace, workspace), isOpen))
      .orderBy(asc(invitations.email));
  return {
    listMembers: (workspace) =>
      db
        .select({
          personId: people.id,
          email: people.email,
          name: people.name,
          role: members.role,
          since: members.since,
        })
        .from(members)
        .innerJoin(people, eq(people.id, members.person))
        .where(eq(members.workspace, workspace))
        .orderBy(asc(people.email)),

    listMemberships: (personId) =>
      db
        .select({
          workspace: members.workspace,
          workspaceName: workspaces.name,
          org: workspaces.org,
          role: members.role,
        })
        .from(members)
        .innerJoin(workspaces, eq(workspaces.id, members.workspace))
        .where(eq(members.person, personId))
        .orderBy(asc(workspaces.name), asc(workspaces.id)),

    listInvitations: listInvited,

    async invite(workspace, { email, role }, actor) {
      try {
        return await transact(db, async (tx) => {
          const [member] = await tx
            .select({ role: members.role })
            .from(members)
            .innerJoin(people, eq(people.id, members.person))
            .where(and(eq(members.workspace, workspace), eq(people.email, email)));
          if (member !== undefined)
            throw new CentspanError("conflict", `email: ${email} is a member already, as ${member.role}`, {
              field: "email",
            });
          const made = await insertInvitation(tx, { workspace, email, role, isReset: false }, actor);
          const details = { email, role };
          await insertAudit(tx, workspace, { actor, action: "member.invited", subject: made.invitationId, details });
          return made;
        });
      } catch (thrown) {
        if (violatedConstraint(thrown) === null) throw thrown;
        throw new CentspanError("not_found", `There is no workspace ${workspace}.`, { cause: thrown });
      }
    },

    inviteToReset: (workspace, email, actor) =>
      transact(db, async (tx) => {
        const [member] = await tx
          .select({ role: members.role, personId: members.person })
          .from(members)
          .innerJoin(people, eq(people.id, members.person))
          .where(and(eq(members.workspace, workspace), eq(people.email, email)));
        if (member === undefined) throw noMember(email);
        const { role, personId } = member;
        const made = await insertInvitation(tx, { workspace, email, role, isReset: true }, actor);
        await insertAudit(tx, workspace, { actor, action: "member.reset", subject: personId, details: { email } });
        return made;
      }),

    withdrawInvitation: (workspace, invitationId, actor) =>
      transact(db, async (tx) => {
        const [gone] = await tx
          .delete(invitations)
          .where(and(eq(invitations.workspace, workspace), eq(invitations.id, invitationId)))
          .returning({ email: invitations.email });
        if (gone === undefined) throw new CentspanError("not_found", `There is no invitation ${invitationId} here.`);
        const details = { email: gone.email };
        await insertAudit(tx, workspace, { actor, action: "member.uninvited", subject: invitationId, details });
      }),

    async findInvitation(token) {
      const [found] = await db
        .select({ ...invitationColumns, workspaceName: workspaces.name, person: people.id })
        .from(invitations)
        .innerJoin(workspaces, eq(workspaces.id, invitations.workspace))
        .leftJoin(people, eq(people.email, invitations.email))
        .where(and(eq(invitations.tokenHash, hashToken(token)), isOpen));
      if (found === undefined) return null;
      const { person, ...invitation } = found;
      return { ...invitation, hasAccount: person !== null };
    },

    setRole: (workspace, personId, role, actor) =>
      transact(db, async (tx) => {
        if (role !== "owner") await requireOwner(tx, workspace, personId);
        const [changed] = await tx
          .update(members)
          .set({ role })
          .where(memberOf(workspace, personId))
          .returning({ role: members.role });
        if (changed === undefined) throw noMember(personId);
        await insertAudit(tx, workspace, { actor, action: "member.role", subject: personId, details: { role } });
      }),

    removeMember: (workspace, personId, actor) =>
      transact(db, async (tx) => {
        await requireOwner(tx, workspace, personId);
        const [gone] = await tx.delete(members).where(memberOf(workspace, personId)).returning({ role: members.role });
        if (gone === undefined) throw noMember(personId);
        await insertAudit(tx, workspace, { actor, action: "member.removed", subject: personId, details: gone });
      }),
  };
}
